// Loaded with `--import` into a process of the command: its wall clock runs as always, but so many milliseconds beside ours.
// The same offset in every thread and after a restart of the process, since it is given from outside.

const offset = Number(process.env['SHIFTED_CLOCK_MS'] ?? 0);
const RealDate = Date;
const now = (): number => RealDate.now() + offset;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args: unknown[], given) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, given) as Date,
  apply: () => new RealDate(now()).toString(),
  get: (target, name, receiver) => (name === 'now' ? now : (Reflect.get(target, name, receiver) as unknown)),
});
const origin = performance.timeOrigin + offset;
Object.defineProperty(performance, 'timeOrigin', { configurable: true, get: () => origin });
