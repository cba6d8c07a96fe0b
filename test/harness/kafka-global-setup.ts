// One broker and one registry for all *.kafka.test.ts of a run; every file keeps to its own topic prefix.

import { rmSync } from 'node:fs';
import type { TestProject } from 'vitest/node';
import type { KafkaService } from './kafka.ts';
import { SKIP_MARKER, startKafka } from './kafka.ts';

export type SharedKafka = Omit<KafkaService, 'stop'>;

declare module 'vitest' {
  export interface ProvidedContext {
    kafka: SharedKafka | null;
  }
}

export default async function setup(project: TestProject): Promise<(() => Promise<void>) | void> {
  rmSync(SKIP_MARKER, { force: true });
  const service = await startKafka();
  project.provide(
    'kafka',
    service && {
      kind: service.kind,
      brokers: service.brokers,
      registryUrl: service.registryUrl,
      dataFolders: service.dataFolders,
      secure: service.secure,
    },
  );
  if (service) return () => service.stop();
}
