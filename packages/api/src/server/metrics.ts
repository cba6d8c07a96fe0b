// Figures for Prometheus. Whoever runs the API serves them, on a port of their own: they are never public by accident.

import { Counter, Gauge, Histogram, Registry } from 'prom-client';

export type ApiMetrics = {
  readonly registry: Registry;
  answered(operation: string, status: number, seconds: number): void;
};

export function createApiMetrics(
  registry: Registry = new Registry(),
  gauges: { latestMarkets?: () => number; activeKeys?: () => number } = {},
): ApiMetrics {
  const answers = new Counter({
    name: 'ladderlog_api_answers_total',
    help: 'Answers by operation of openapi.yaml and HTTP status.',
    labelNames: ['operation', 'status'] as const,
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'ladderlog_api_answer_seconds',
    help: 'From the first byte of the request to the last byte of the answer.',
    labelNames: ['operation'] as const,
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  const gauge = (name: string, help: string, value: (() => number) | undefined): void => {
    if (!value) return;
    const made: Gauge = new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        made.set(value());
      },
    });
  };
  gauge('ladderlog_api_latest_markets', 'Markets whose newest books are in memory.', gauges.latestMarkets);
  gauge('ladderlog_api_active_keys', 'Keys that are not revoked.', gauges.activeKeys);
  return {
    registry,
    answered(operation, status, seconds) {
      answers.inc({ operation, status });
      durations.observe({ operation }, seconds);
    },
  };
}
