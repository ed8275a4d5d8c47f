import { Logger } from '@nestjs/common';
import { BackgroundLoop } from './background-loop.js';

/** A loop whose next results the test gives: an error, or nothing. */
class TestLoop extends BackgroundLoop {
  runs = 0;

  constructor(
    logger: Logger,
    private readonly results: readonly (Error | undefined)[],
  ) {
    super(logger, 'It failed', 1);
  }

  protected work(): Promise<void> {
    const error = this.results[this.runs++];
    if (this.runs === this.results.length) void this.onApplicationShutdown();
    return error ? Promise.reject(error) : Promise.resolve();
  }
}

it('logs the first error of each interruption, and none of the shutdown', async () => {
  const logger = new Logger();
  const warn = jest.spyOn(logger, 'warn').mockReturnValue();
  const [one, two, three, last] = ['one', 'two', 'three', 'last'].map((text) => new Error(text));
  const loop = new TestLoop(logger, [one, two, undefined, three, undefined, last]);
  loop.start();
  while (loop.runs < 6) await new Promise((resolve) => setTimeout(resolve, 1));
  await loop.onApplicationShutdown();
  expect(warn.mock.calls).toEqual([
    ['It failed', { reason: 'one' }],
    ['It failed', { reason: 'three' }],
  ]);
  expect(loop.runs).toBe(6);
});
