export type { SchemaIds, WritingCodec } from './avro/codec.ts';
export { avroTypeOf, createCodec } from './avro/codec.ts';
export type { KafkaLog, KafkaLogOptions } from './kafka/kafka-log.ts';
export { openKafkaLog } from './kafka/kafka-log.ts';
export type { ThinTopic } from './kafka/topics.ts';
export type {
  ConsumeRequest,
  EventLog,
  LogBatch,
  PartitionInfo,
  ReadRequest,
  TimeSpan,
  TopicInfo,
} from './log.ts';
export { DEFAULT_PARTITIONS, MAX_RECORD_BYTES } from './log.ts';
export type { Decoded, EventCodec, RecordFields } from './record.ts';
export { LogRecord } from './record.ts';
export type { ReadEvent, ReadEventsRequest } from './reading.ts';
export { decodeBatch, positionsAt, positionsAtEnd, positionsFromBeginning, readEvents } from './reading.ts';
export type { EventSchema } from './avro/schemas.ts';
export { EVENT_SCHEMAS } from './avro/schemas.ts';
export { retryWhileBusy, toLogError } from './sqlite/errors.ts';
export type { SqliteLog, SqliteLogOptions } from './sqlite/sqlite-log.ts';
export { openSqliteLog } from './sqlite/sqlite-log.ts';
