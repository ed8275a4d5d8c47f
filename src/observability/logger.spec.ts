import { Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LogOutput } from './logger.js';

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
  it('buffers 16 MiB for a hanging reader, drops further lines and writes again when it resumes', async () => {
    const reader = new Reader();
    const padding = 'x'.repeat(1_000_000);
    for (let number = 0; number < 30; number++) reader.output.write(`${number} ${padding}\n`);
    expect(reader.output.droppedLines).toBe(14);
    await reader.readAll();
    reader.output.write('after\n');
    await reader.readAll();
    const written = reader.text.split('\n').map((line) => line.split(' ')[0]);
    expect(written).toEqual([...[...Array(16).keys()].map(String), 'after', '']);
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
