import { fstatSync, writeSync } from 'node:fs';

/** So much text may wait for a slow reader, in bytes; what comes beyond it is dropped and counted. */
const mostWaiting = 16 * 1024 * 1024;
/** Beyond that, for the lines that must come out when the reader is there again. */
const reserved = 1024 * 1024;
/** So much is handed over at once, in bytes. */
const mostAtOnce = 64 * 1024;

/** Where text goes in the end. `done` is told when it is out, or why it is not. */
export type WriteText = (text: Buffer, done: (error?: Error | null) => void) => void;

/** Lines that were dropped one after the other. */
export interface Gap {
  readonly since: Date;
  lines: number;
}

/** Text that is handed over in one piece. */
interface Piece {
  readonly text: Buffer;
  readonly lines: number;
}

/**
 * Writes the lines of the log in its own time, and keeps what a slow reader has not read yet, within bounds: a
 * reader that stands still must cost neither memory nor answers.
 */
export class LogOutput {
  private readonly pieces: Piece[] = [];
  private newest = '';
  private newestLines = 0;
  private newestBytes = 0;
  private waitingBytes = 0;
  private isWriting = false;
  private isPlanned = false;
  private isUrgent = false;
  private dropped = 0;
  private gap: Gap | undefined;
  private tellGap: ((gap: Gap) => void) | undefined;
  private readonly emptied = new Set<() => void>();

  constructor(private readonly writeText: WriteText) {}

  /** An output on standard output, whatever that is: a pipe, a file or a terminal. */
  static toStandardOutput(): LogOutput {
    const output = new LogOutput(isFile(1) ? writeToFile : writeToStream(process.stdout));
    // Whoever ends the process without waiting: what a pipe can take at once still goes out.
    process.on('exit', () => output.handOver());
    return output;
  }

  /** How many lines were dropped since the start, because nobody read them fast enough or they could not be written. */
  get droppedLines(): number {
    return this.dropped;
  }

  /** Who writes the line that tells of a gap, once the reader is there again. */
  onGap(tell: (gap: Gap) => void): void {
    this.tellGap = tell;
  }

  /** Takes one line, with its newline. Never waits and never throws. */
  write(line: string): void {
    const bytes = Buffer.byteLength(line);
    if (this.waitingBytes + bytes > this.bound) {
      this.drop(1);
      return;
    }
    this.newest += line;
    this.newestLines += 1;
    this.newestBytes += bytes;
    this.waitingBytes += bytes;
    if (this.newestBytes >= mostAtOnce) this.closePiece();
    if (this.isPlanned) return;
    this.isPlanned = true;
    setImmediate(() => {
      this.isPlanned = false;
      this.writeNext();
    });
  }

  /** Does some logging whose lines are kept also where others are dropped by now. */
  urgently(log: () => void): void {
    this.isUrgent = true;
    try {
      log();
    } finally {
      this.isUrgent = false;
    }
  }

  /** Waits until all is written, but no longer than so many milliseconds. */
  async flush(milliseconds: number): Promise<void> {
    this.writeNext();
    if (this.waitingBytes === 0) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(late);
        this.emptied.delete(done);
        resolve();
      };
      const late = setTimeout(done, milliseconds);
      this.emptied.add(done);
    });
  }

  /** Writes what can be written at once, and waits for nothing. */
  handOver(): void {
    this.closePiece();
    const rest = this.pieces.splice(0).map(({ text }) => text);
    if (rest.length > 0) this.writeText(Buffer.concat(rest), () => undefined);
  }

  /** After a gap, half of the room must be free before lines are taken again: one gap instead of many. */
  private get bound(): number {
    if (this.isUrgent) return mostWaiting + reserved;
    return this.gap === undefined ? mostWaiting : mostWaiting / 2;
  }

  private closePiece(): void {
    if (this.newestLines === 0) return;
    this.pieces.push({ text: Buffer.from(this.newest), lines: this.newestLines });
    this.newest = '';
    this.newestLines = 0;
    this.newestBytes = 0;
  }

  private writeNext(): void {
    if (this.isWriting) return;
    if (this.pieces.length === 0) this.closePiece();
    const piece = this.pieces.shift();
    if (piece === undefined) {
      for (const done of this.emptied) done();
      return;
    }
    this.isWriting = true;
    this.writeText(piece.text, (error) => {
      this.isWriting = false;
      this.waitingBytes -= piece.text.length;
      if (error) this.drop(piece.lines);
      else this.closeGap();
      this.writeNext();
    });
  }

  private drop(lines: number): void {
    this.dropped += lines;
    this.gap ??= { since: new Date(), lines: 0 };
    this.gap.lines += lines;
  }

  private closeGap(): void {
    const { gap } = this;
    if (gap === undefined || this.waitingBytes > mostWaiting / 2) return;
    this.gap = undefined;
    this.urgently(() => this.tellGap?.(gap));
  }
}

function isFile(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isFile();
  } catch {
    return false;
  }
}

/** A file takes what it is given at once; where it cannot (a full disk), it may be able to later. */
const writeToFile: WriteText = (text, done) => {
  try {
    for (let written = 0; written < text.length;) written += writeSync(1, text, written);
  } catch (error) {
    done(error as Error);
    return;
  }
  done();
};

/**
 * A pipe or a terminal. Not by `fs.write`: a full pipe would hold one of the few threads that files and hashes share,
 * and with it the end of the process.
 */
function writeToStream(stream: NodeJS.WriteStream): WriteText {
  // Told with each write, too. A reader that has gone does not come back, and is no reason to end.
  stream.on('error', () => undefined);
  return (text, done) => void stream.write(text, done);
}
