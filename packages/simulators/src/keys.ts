import { nodePrimitives } from '@ladderlog/servers';

/** Credentials of a venue that signs with RSA, for tests that start several servers: making a key takes a while. */
export const generateKeys = (keyId: string): { readonly keyId: string; readonly privateKeyPem: string } => ({
  keyId,
  privateKeyPem: nodePrimitives.rsaPrivateKey(),
});
