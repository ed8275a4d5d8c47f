import { withinMilliseconds } from './shared-windows.js';

describe('withinMilliseconds', () => {
  /** Keeps this thread busy, as a large answer or a password check would. */
  function block(milliseconds: number): void {
    const end = performance.now() + milliseconds;
    while (performance.now() < end);
  }

  it('passes an answer and a refusal on', async () => {
    await expect(withinMilliseconds(Promise.resolve(7), 1_000)).resolves.toBe(7);
    await expect(withinMilliseconds(Promise.reject(new Error('refused')), 1_000)).rejects.toThrow('refused');
  });

  it('gives up an answer that does not come', async () => {
    await expect(withinMilliseconds(new Promise(() => undefined), 5)).rejects.toThrow('No answer within 5 ms');
  });

  it('leaves no refusal unhandled that comes after it gave up', async () => {
    let refuse: (reason: Error) => void = () => undefined;
    const late = new Promise((_, reject) => (refuse = reject));
    await expect(withinMilliseconds(late, 5)).rejects.toThrow('No answer');
    refuse(new Error('late'));
    // Jest fails a test of which a refusal is left unhandled; Node tells of it once the microtasks of a turn are done.
    await new Promise((resolve) => setImmediate(resolve));
  });

  it('takes an answer that lay unread while the process was busy', async () => {
    // From here the timers come next, and then the round of reading in which the answer arrives.
    await new Promise((resolve) => setImmediate(resolve));
    const answer = new Promise((resolve) => setImmediate(() => resolve('there')));
    const asked = withinMilliseconds(answer, 5);
    block(50);
    await expect(asked).resolves.toBe('there');
  });

  it('does not count what the process was busy with before it asked', async () => {
    // In a turn of its own: timers that are set late in a long turn come early.
    await new Promise((resolve) => setTimeout(resolve, 1));
    block(100);
    const answer = new Promise((resolve) => setTimeout(() => resolve('there'), 10).unref());
    await expect(withinMilliseconds(answer, 40)).resolves.toBe('there');
  });
});
