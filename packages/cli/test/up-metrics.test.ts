import { expect, test } from 'vitest';

import { joinMetrics } from '../src/processes/up-metrics.ts';

const cpu = (process: string, value: number): string =>
  [
    '# HELP ladderlog_cpu Seconds.',
    '# TYPE ladderlog_cpu counter',
    `ladderlog_cpu{process="${process}"} ${value}`,
    '',
  ].join('\n');

test('the metrics of several processes are one text: each metric is described once, with all samples behind it', () => {
  const frames = '# HELP ladderlog_frames F.\n# TYPE ladderlog_frames counter\nladderlog_frames 3\n';
  expect(joinMetrics([cpu('recorder', 1) + frames, cpu('service', 2)])).toBe(
    [
      '# HELP ladderlog_cpu Seconds.',
      '# TYPE ladderlog_cpu counter',
      'ladderlog_cpu{process="recorder"} 1',
      'ladderlog_cpu{process="service"} 2',
      '# HELP ladderlog_frames F.',
      '# TYPE ladderlog_frames counter',
      'ladderlog_frames 3',
      '',
    ].join('\n'),
  );
});
