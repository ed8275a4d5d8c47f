/**
 * Returns variables for a server on a machine with another clock: `Date` is ahead by so many milliseconds (behind, below
 * zero) from the server's first line on. The monotonic clock is unchanged.
 */
export function shiftedClock(ahead: number): Record<string, string> {
  const program = `
    const real = Date;
    const now = () => real.now() + ${ahead};
    globalThis.Date = new Proxy(real, {
      apply: () => new real(now()).toString(),
      construct: (target, given, as) => Reflect.construct(target, given.length === 0 ? [now()] : given, as),
      get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
    });`;
  return { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(program)}` };
}
