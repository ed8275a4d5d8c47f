/** What to stop: the latest first, because it can need the others, but `afterAll` hooks run in their given order. */
const stops: (() => Promise<unknown>)[] = [];

/**
 * Starts something before the tests of this file or `describe`, or before each, and stops it after all of them.
 * @returns what `start` will return, usable from the next hook on
 */
export function startForTests<T extends object>(
  type: { readonly prototype: T },
  start: () => Promise<T>,
  { stop, hook = beforeAll }: { stop?: (started: T) => Promise<unknown>; hook?: typeof beforeAll } = {},
): T {
  const started = Object.create(type.prototype) as T;
  hook(async () => {
    if (stop !== undefined) stops.push(() => stop(started));
    Object.assign(started, await start());
  });
  if (stop !== undefined) afterAll(() => stops.pop()?.());
  return started;
}
