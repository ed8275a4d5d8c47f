/**
 * Starts something before the tests of this file or `describe`, and stops it after them.
 * @returns what `start` will return, usable from the next hook on
 */
export function startForTests<T extends object>(
  type: { readonly prototype: T },
  start: () => Promise<T>,
  stop: (started: T) => Promise<unknown>,
): T {
  const started = Object.create(type.prototype) as T;
  beforeAll(async () => void Object.assign(started, await start()));
  afterAll(() => stop(started));
  return started;
}
