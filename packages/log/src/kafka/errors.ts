// What an error of kafkajs means: its protocol name, whether another attempt can help, and the error that a caller of the log gets.

import { LadderlogError } from '@ladderlog/core';

/** kafkajs' name for a protocol error, through however many wrappings. */
export function errorType(error: unknown): string | null {
  for (let at = error; at instanceof Error; at = at.cause) {
    const type = (at as { type?: unknown }).type;
    if (typeof type === 'string') return type;
  }
  return null;
}

const PERMANENT = new Set([
  'TOPIC_AUTHORIZATION_FAILED',
  'GROUP_AUTHORIZATION_FAILED',
  'CLUSTER_AUTHORIZATION_FAILED',
  'SASL_AUTHENTICATION_FAILED',
  'UNSUPPORTED_SASL_MECHANISM',
  'INVALID_TOPIC_EXCEPTION',
  'INVALID_RECORD',
  'INVALID_TIMESTAMP',
  'MESSAGE_TOO_LARGE',
  'RECORD_LIST_TOO_LARGE',
  'UNSUPPORTED_VERSION',
  'UNSUPPORTED_COMPRESSION_TYPE',
  'INVALID_CONFIG',
  'INVALID_REPLICATION_FACTOR',
  'POLICY_VIOLATION',
]);

/** Another attempt of the same request cannot succeed, and this one certainly changed nothing. */
export function isPermanent(error: unknown): boolean {
  if (error instanceof LadderlogError) return true;
  const type = errorType(error);
  if (type !== null) return PERMANENT.has(type);
  return error instanceof Error && error.name === 'KafkaJSSASLAuthenticationError';
}

export function toLogError(error: unknown, doing: string): LadderlogError {
  if (error instanceof LadderlogError) return error;
  const type = errorType(error);
  const reason = `${doing}: ${type ? `${type}: ` : ''}${(error as Error).message}`;
  if (type === 'MESSAGE_TOO_LARGE' || type === 'RECORD_LIST_TOO_LARGE')
    return new LadderlogError('LOG_RECORD_TOO_LARGE', reason, { cause: error });
  return new LadderlogError('LOG_UNAVAILABLE', reason, { retryable: !isPermanent(error), cause: error });
}
