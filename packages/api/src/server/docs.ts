// The interactive reference at /docs, from openapi.yaml, with Swagger UI's own files from the package: no other host is asked.

import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type { Express } from 'express';
import express from 'express';
import type { Contract } from '../contract/contract.ts';

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Ladderlog API</title>
    <link rel="stylesheet" href="/docs/assets/swagger-ui.css" />
  </head>
  <body>
    <div id="reference"></div>
    <script src="/docs/assets/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

const START = `window.ui = SwaggerUIBundle({ url: '/openapi.json', dom_id: '#reference', deepLinking: true, tryItOutEnabled: true, persistAuthorization: false });
`;

const POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'";

export function serveDocs(app: Express, contract: Contract): void {
  const assets = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  const json = JSON.stringify(contract.document);
  const router = express.Router();
  router.get('/docs', (_request, response) => {
    response.setHeader('Content-Security-Policy', POLICY);
    response.type('html').send(PAGE);
  });
  router.get('/docs/start.js', (_request, response) => {
    response.type('js').send(START);
  });
  router.use(
    '/docs/assets',
    express.static(assets, { index: false, fallthrough: true, immutable: true, maxAge: '1d' }),
  );
  router.get('/openapi.json', (_request, response) => {
    response.type('json').send(json);
  });
  router.get('/openapi.yaml', (_request, response) => {
    response.type('text/yaml').send(contract.text());
  });
  // One comparison for every other request.
  app.use((request, response, next) => {
    if (request.path.startsWith('/docs') || request.path.startsWith('/openapi.'))
      router(request, response, next);
    else next();
  });
}
