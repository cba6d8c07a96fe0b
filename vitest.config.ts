import { defineConfig } from 'vitest/config';

// A test file's name says what it needs: .test.ts nothing, .int.test.ts real files, sockets and chDB, .kafka.test.ts a real
// broker and registry, .e2e.test.ts the whole pipeline, .chaos.test.ts kills and full disks.
const kind = (name: string, testTimeout: number, maxWorkers: number) => ({
  extends: true as const,
  test: {
    name,
    include: [`packages/*/test/**/*.${name}.test.ts`, `test/**/*.${name}.test.ts`],
    testTimeout,
    // One real broker and registry for the whole run.
    globalSetup: name === 'kafka' ? ['./test/harness/kafka-global-setup.ts'] : [],
    hookTimeout: testTimeout,
    maxWorkers,
  },
});

export default defineConfig({
  test: {
    pool: 'forks',
    // Limits are for what hangs, not for what is slow: a test waits for what must happen, and a busy machine may take its time.
    expect: { poll: { timeout: 60_000, interval: 20 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['packages/*/test/**/*.test.ts', 'test/*.test.ts'],
          exclude: ['**/*.{int,kafka,e2e,chaos}.test.ts', '**/node_modules/**'],
          testTimeout: 60_000,
          // Unit tests leave nothing behind, so a worker runs many files and imports what they share once.
          isolate: false,
        },
      },
      kind('int', 240_000, 2),
      kind('kafka', 300_000, 1),
      kind('e2e', 300_000, 2),
      kind('chaos', 600_000, 1),
    ],
  },
});
