// What a venue's plan cannot do by itself: time, chance and cryptography.

import type { KeyObject } from 'node:crypto';
import { constants, createHmac, createPrivateKey, randomBytes, sign } from 'node:crypto';

import type { Primitives } from '@ladderlog/core';

export function createPrimitives(wallMs: () => number = () => Date.now()): Primitives {
  const keys = new Map<string, KeyObject>();
  return {
    wallMs,
    randomHex: (bytes) => randomBytes(bytes).toString('hex'),
    hmacSha256Hex: (secret, text) => createHmac('sha256', secret).update(text).digest('hex'),
    rsaPssSha256Base64(privateKeyPem, text) {
      let key = keys.get(privateKeyPem);
      if (!key) keys.set(privateKeyPem, (key = createPrivateKey(privateKeyPem)));
      const padding = constants.RSA_PKCS1_PSS_PADDING;
      const saltLength = constants.RSA_PSS_SALTLEN_DIGEST;
      return sign('sha256', Buffer.from(text), { key, padding, saltLength }).toString('base64');
    },
  };
}
