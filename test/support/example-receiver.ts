import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { commandOfExample, withPythonPackage } from './example-programs.js';
import { eventually } from './processes.js';

/** An event as the receivers print it. */
export interface ReceivedEvent {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export const receivers = ['receiver.mts', 'receiver.py'] as const;

/** A receiver of `examples/webhook-receiver` on a free port. */
export class ExampleReceiver {
  private output = '';

  private constructor(
    private readonly child: ChildProcess,
    private readonly folder: string,
  ) {
    child.stdout?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
  }

  static async start(program: (typeof receivers)[number], secret: string): Promise<ExampleReceiver> {
    const folder = await mkdtemp(path.join(tmpdir(), 'webhook-receiver-'));
    const [command, file] = await commandOfExample(`webhook-receiver/${program}`, folder);
    const isPython = program === 'receiver.py';
    const env = isPython ? await withPythonPackage('standardwebhooks', '1.1.0', folder) : { PATH: process.env['PATH'] };
    const child = spawn(command, [file], { env: { ...env, WEBHOOK_SECRET: secret, PORT: '0' } });
    const receiver = new ExampleReceiver(child, folder);
    await eventually(`${program} listens`, () => receiver.lines.length > 0, 30);
    return receiver;
  }

  get url(): string {
    const [, port] = /^Listening on port (\d+)$/.exec(this.lines[0] ?? '') ?? [];
    if (port === undefined) throw new Error(`The receiver has failed: ${this.output}`);
    return `http://127.0.0.1:${port}/webhooks`;
  }

  /** The printed events. */
  get events(): ReceivedEvent[] {
    return this.lines.slice(1).map((line) => JSON.parse(line) as ReceivedEvent);
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'close');
    if (this.child.exitCode === null && this.child.kill()) await ended;
    await rm(this.folder, { recursive: true, force: true });
  }

  /** The complete lines of the output. */
  private get lines(): string[] {
    return this.output.split('\n').slice(0, -1);
  }
}
