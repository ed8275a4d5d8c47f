/**
 * Variables for a server whose machine has another clock: `Date` is ahead by so many milliseconds (behind, below zero) from
 * before its first line on, and by `jump` more with every SIGUSR2. The monotonic clock stays as it is.
 */
export function shiftedClock(ahead: number, jump = 0): Record<string, string> {
  const program = `
    const real = Date;
    let ahead = ${ahead};
    process.on('SIGUSR2', () => { ahead += ${jump}; });
    const now = () => real.now() + ahead;
    globalThis.Date = new Proxy(real, {
      apply: () => new real(now()).toString(),
      construct: (target, given, as) => Reflect.construct(target, given.length === 0 ? [now()] : given, as),
      get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
    });`;
  return { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(program)}` };
}
