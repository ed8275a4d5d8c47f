import { setTimeout as sleep } from 'node:timers/promises';

/** Kept in memory for a reader that is slow or hangs, in bytes. */
const maxWaiting = 16 * 1024 * 1024;
const maxFlushMilliseconds = 1_000;

/**
 * Writes lines to standard output without waiting for its reader: a reader that hangs or has gone must not block the
 * server, and costs at most 16 MiB. Further lines are dropped and counted.
 */
export class LogOutput {
  private dropped = 0;

  constructor(private readonly stream: NodeJS.WriteStream = process.stdout) {
    // Each write reports its own failure.
    stream.on('error', () => undefined);
  }

  /** Lines dropped since the start, because they were not read fast enough or could not be written. */
  get droppedLines(): number {
    return this.dropped;
  }

  write(line: string): void {
    if (this.stream.writableLength + line.length > maxWaiting) this.dropped++;
    else this.stream.write(line, this.onWritten);
  }

  /** Calls back with the number of lines dropped since the last call, when a reader has caught up. */
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
