import { LogOutput } from './log-output.js';
import { createLogger } from './logger.js';

const mebibyte = 1024 * 1024;
const round = () => new Promise((resolve) => setImmediate(resolve));

/** A reader that reads only when it is told to, one piece at a time. */
class Reader {
  text = '';
  private waiting: { text: Buffer; done: (error?: Error) => void } | undefined;

  readonly output = new LogOutput((text, done) => (this.waiting = { text, done }));

  /** Reads all that is there, and what comes with it. */
  async readAll(error?: Error): Promise<void> {
    for (await round(); this.waiting !== undefined; await round()) {
      const { text, done } = this.waiting;
      this.waiting = undefined;
      if (error === undefined) this.text += text.toString();
      done(error);
    }
  }
}

describe('the output of the log', () => {
  const line = (text: string, bytes = 0) => `${text.padEnd(bytes - 1, '.')}\n`;

  it('writes lines whole and in their order, whenever they are read', async () => {
    const reader = new Reader();
    const lines = Array.from({ length: 5_000 }, (_, index) => line(`Größe ${index}`, 50));
    for (const each of lines.slice(0, 2_500)) reader.output.write(each);
    await round();
    for (const each of lines.slice(2_500)) reader.output.write(each);
    await reader.readAll();
    expect(reader.text).toBe(lines.join(''));
    expect(reader.output.droppedLines).toBe(0);
  });

  it('keeps 16 MiB for a reader that stands still, drops what comes beyond, and tells it once it reads again', async () => {
    const reader = new Reader();
    const logger = createLogger('info', reader.output);
    const padding = 'x'.repeat(1_000_000);
    for (let number = 0; number < 30; number++) logger.info({ padding, number }, 'request');
    expect(reader.output.droppedLines).toBe(14);
    await reader.readAll();
    logger.info('after');
    await reader.readAll();
    const lines = reader.text
      .trim()
      .split('\n')
      .map((each) => JSON.parse(each) as Record<string, unknown>);
    expect(lines.slice(0, 16).map(({ number }) => number)).toEqual(Array.from({ length: 16 }, (_, index) => index));
    expect(lines.slice(16)).toEqual([
      expect.objectContaining({ level: 'warn', dropped: 14, msg: expect.stringContaining('dropped') as string }),
      expect.objectContaining({ msg: 'after' }),
    ]);
    expect(reader.output.droppedLines).toBe(14);
  });

  it('keeps urgent lines also where others are dropped', async () => {
    const reader = new Reader();
    reader.output.write(line('full', 16 * mebibyte));
    reader.output.write(line('dropped'));
    reader.output.urgently(() => reader.output.write(line('urgent')));
    reader.output.write(line('dropped, too'));
    await reader.readAll();
    expect(reader.text).toMatch(/^full\.*\nurgent\n$/);
    expect(reader.output.droppedLines).toBe(2);
  });

  it('makes one gap of many: lines are taken again when half of the room is free', async () => {
    const reader = new Reader();
    const gaps: number[] = [];
    reader.output.onGap(({ lines }) => gaps.push(lines));
    for (let number = 0; number < 20; number++) reader.output.write(line('', mebibyte));
    await reader.readAll();
    expect(gaps).toEqual([4]);
  });

  it('counts what could not be written as dropped, and tells nothing as long as nothing can be', async () => {
    const reader = new Reader();
    const logger = createLogger('info', reader.output);
    logger.info('one');
    logger.info('two');
    await reader.readAll(new Error('no space left'));
    expect([reader.text, reader.output.droppedLines]).toEqual(['', 2]);
    logger.info('three');
    await reader.readAll();
    expect(reader.text).toMatch(/"msg":"three"[^\n]*\n.*"dropped":2/);
  });

  it('is flushed when all is read, or after the time that is given', async () => {
    const reader = new Reader();
    await reader.output.flush(60_000);
    reader.output.write(line('one'));
    const begun = performance.now();
    await reader.output.flush(50);
    expect(performance.now() - begun).toBeGreaterThan(45);
    const flushed = reader.output.flush(60_000);
    await reader.readAll();
    await flushed;
  });

  it('hands over all at once where the process ends', async () => {
    const reader = new Reader();
    reader.output.write(line('one'));
    reader.output.write(line('two'));
    reader.output.handOver();
    await reader.readAll();
    expect(reader.text).toBe('one\ntwo\n');
  });
});
