import { Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createLogger, LogOutput } from './logger.js';

type Line = Record<string, unknown>;

/** A stream that is read only when the test does so. */
class Reader {
  text = '';
  private waiting: ((error?: Error) => void) | undefined;
  private readonly stream = new Writable({
    highWaterMark: 1,
    write: (chunk: Buffer, _encoding, done) => {
      this.waiting = (error) => {
        if (error === undefined) this.text += chunk.toString();
        done(error);
      };
    },
  });
  readonly output = new LogOutput(this.stream);

  get lines(): Line[] {
    return this.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);
  }

  async readAll(error?: Error): Promise<void> {
    // Lines are written at the end of a turn.
    await nextTurn();
    while (this.waiting !== undefined) {
      const read = this.waiting;
      this.waiting = undefined;
      read(error);
      await nextTurn();
    }
  }
}

describe('LogOutput', () => {
  it('buffers 16 MiB for a hanging reader, drops further lines and reports how many when it resumes', async () => {
    const reader = new Reader();
    const logger = createLogger('info', reader.output);
    const padding = 'x'.repeat(1_000_000);
    for (let number = 0; number < 30; number++) logger.info({ padding, number }, 'request');
    expect(reader.output.droppedLines).toBe(14);
    await reader.readAll();
    logger.info('after');
    await reader.readAll();
    expect(reader.lines.slice(0, 16).map(({ number }) => number)).toEqual([...Array(16).keys()]);
    expect(reader.lines.slice(16)).toEqual([
      expect.objectContaining({ level: 'warn', dropped: 14, msg: expect.stringContaining('dropped') as string }),
      expect.objectContaining({ msg: 'after' }),
    ]);
    expect(reader.output.droppedLines).toBe(14);
  });

  it('counts lines that cannot be written as dropped', async () => {
    const reader = new Reader();
    for (const line of ['lost\n', 'too\n']) reader.output.write(line);
    await reader.readAll(new Error('no space left'));
    expect([reader.text, reader.output.droppedLines]).toEqual(['', 2]);
  });

  it('flushes until everything is read', async () => {
    const reader = new Reader();
    reader.output.write('one\n');
    const flushed = reader.output.flush();
    await reader.readAll();
    await flushed;
    expect(reader.text).toBe('one\n');
  });

  it('stops flushing after 1 s if nothing is read', async () => {
    const reader = new Reader();
    reader.output.write('one\n');
    await reader.output.flush();
    expect(reader.text).toBe('');
  });
});
