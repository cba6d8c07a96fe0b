// Node's cryptography as the venues' servers want it.

import { constants, createHash, createHmac, createPublicKey, generateKeyPairSync, verify } from 'node:crypto';

import type { ServerPrimitives } from '@ladderlog/core';

export const nodePrimitives: ServerPrimitives = {
  sha1: (text) => createHash('sha1').update(text).digest('hex'),
  sha256: (text) => createHash('sha256').update(text).digest('hex'),
  hmacSha256: (secret, text) => createHmac('sha256', secret).update(text).digest('hex'),
  rsaPssVerifier(privateKeyPem) {
    const key = {
      key: createPublicKey(privateKeyPem),
      padding: constants.RSA_PKCS1_PSS_PADDING,
      saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
    };
    return (text, signature) => verify('sha256', Buffer.from(text), key, Buffer.from(signature, 'base64'));
  },
  rsaPrivateKey() {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
    return privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  },
};
