import { setTimeout as sleep } from 'node:timers/promises';

/** Maximum size of unread lines in memory, in bytes. */
const maxBuffered = 16 * 1024 * 1024;
const maxFlushMilliseconds = 1_000;

/** Writes lines to standard output without blocking. If 16 MiB are unread, further lines are dropped and counted. */
export class LogOutput {
  private dropped = 0;

  constructor(private readonly stream: NodeJS.WriteStream = process.stdout) {
    // Each write handles its own failure.
    stream.on('error', () => undefined);
  }

  get droppedLines(): number {
    return this.dropped;
  }

  write(line: string): void {
    if (this.stream.writableLength + line.length > maxBuffered) this.dropped++;
    else this.stream.write(line, this.onWritten);
  }

  /** Calls back with the number of newly dropped lines when the reader has caught up. */
  onGap(report: (lines: number) => void): void {
    let reported = 0;
    this.stream.on('drain', () => {
      const lines = this.dropped - reported;
      reported = this.dropped;
      if (lines > 0) report(lines);
    });
  }

  /** Waits until everything is written, at most 1 s. */
  async flush(): Promise<void> {
    const written = new Promise((resolve) => this.stream.write('', resolve));
    await Promise.race([written, sleep(maxFlushMilliseconds)]);
  }

  private readonly onWritten = (error?: Error | null): void => {
    if (error) this.dropped++;
  };
}
