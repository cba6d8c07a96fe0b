// Which processes an `up` has, what each needs of the others, and in which order they end.

import type { RoleFacts, RoleName } from '../children/channel.ts';
import type { Options } from '../command.ts';
import type { Context } from '../context.ts';
import type { RunningProcess } from '../data/up-lock.ts';
import { Supervised } from './supervised.ts';

export type AllFacts = {
  readonly engine: RoleFacts['engine'] | null;
  readonly recorder: RoleFacts['recorder'] | null;
  readonly service: RoleFacts['service'];
};

/** The recorder is never the one to wait. */
const GIVES_WAY = 5;

export class RoleSet {
  private readonly engine: Supervised<'engine'> | null;
  private readonly simulators: Supervised<'simulators'> | null;
  private readonly recorder: Supervised<'recorder'> | null;
  private readonly service: Supervised<'service'>;
  /** What each told when it was last ready: a process that is started again comes back to the same ports. */
  private engineFacts: Promise<RoleFacts['engine'] | null> = Promise.resolve(null);
  private simulatorsFacts: Promise<RoleFacts['simulators'] | null> = Promise.resolve(null);
  private serviceFacts: RoleFacts['service'] | null = null;

  constructor(context: Context, flags: Options, onChange: () => void) {
    const { config, logger } = context;
    const common = { flags, logger, onChange };
    const hasRecorder = config.venues.mode !== 'none';
    this.engine =
      config.clickhouseUrl !== null
        ? null
        : new Supervised({
            ...common,
            role: 'engine',
            niceness: GIVES_WAY,
            start: () => this.startOfEngine(config.sqlPort),
          });
    this.simulators =
      config.venues.mode !== 'simulated'
        ? null
        : new Supervised({
            ...common,
            role: 'simulators',
            niceness: 0,
            start: () => ({}),
            onRestarted: (facts) => this.onNewSimulators(facts),
          });
    this.recorder = !hasRecorder
      ? null
      : new Supervised({
          ...common,
          role: 'recorder',
          niceness: 0,
          start: async () => ({ simulated: (await this.simulatorsFacts)?.settings ?? null }),
        });
    this.service = new Supervised({
      ...common,
      role: 'service',
      niceness: GIVES_WAY,
      start: () => this.startOfService(config.port, hasRecorder),
    });
  }

  /** All at once: each loads while those that it needs get ready. */
  async begin(): Promise<AllFacts> {
    this.engineFacts = this.engine?.begin() ?? this.engineFacts;
    this.simulatorsFacts = this.simulators?.begin() ?? this.simulatorsFacts;
    const [engine, , recorder, service] = await Promise.all([
      this.engineFacts,
      this.simulatorsFacts,
      this.recorder?.begin() ?? null,
      this.service.begin(),
    ]);
    this.serviceFacts = service;
    // So that what is printed next works at once.
    if (recorder) await this.service.firstBooks(recorder.venues);
    return { engine, recorder, service };
  }

  /** Nothing that was received is lost, and all of it is in the tables, unless something hangs. */
  async stop(): Promise<void> {
    this.service.recorderEnds();
    await this.recorder?.stop();
    await Promise.all([this.service.stop(), this.simulators?.stop()]);
    await this.engine?.stop();
  }

  running(): Readonly<Record<string, RunningProcess>> {
    return Object.fromEntries(this.all().map(([role, { pid, restarts }]) => [role, { pid, restarts }]));
  }

  private all(): [RoleName, { readonly pid: number | null; readonly restarts: number }][] {
    const { engine, simulators, recorder, service } = this;
    return [engine, simulators, recorder, service].flatMap((one) => (one ? [[one.role, one]] : []));
  }

  private async startOfEngine(sqlPort: number | null) {
    const url = this.engine!.restarts > 0 ? (await this.engineFacts)?.sqlUrl : null;
    return { sqlPort: url ? Number(new URL(url).port) : sqlPort };
  }

  private async startOfService(port: number, hasRecorder: boolean) {
    await this.engineFacts;
    const { serviceFacts } = this;
    return { port: serviceFacts?.port ?? port, isFirst: serviceFacts === null, hasRecorder };
  }

  /** They have other addresses now. */
  private onNewSimulators(facts: RoleFacts['simulators']): void {
    this.simulatorsFacts = Promise.resolve(facts);
    void this.recorder?.end();
  }
}
