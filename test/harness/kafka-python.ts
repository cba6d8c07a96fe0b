// A Python with fastavro and a Kafka client: the second opinion on our Avro.

import { pythonWith } from './python.ts';

export const pythonWithAvro = (): Promise<string | null> =>
  pythonWith('python-avro-1', ['fastavro==1.13.1', 'confluent-kafka==2.16.1']);
