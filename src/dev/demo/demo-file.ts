import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseEnv } from 'node:util';

const names = [
  'DEMO_API_KEY',
  'DEMO_ORGANIZATION_ID',
  'DEMO_LIVE_SCHEDULE_ID',
  // The super admin that was generated because the configuration has none.
  'DEMO_ADMIN_EMAIL',
  'DEMO_ADMIN_PASSWORD',
  // Set before the first demo record is written, and removed after the last one.
  'DEMO_UNFINISHED',
] as const;

/** What the demo remembers from one start to the next. */
export type DemoMemory = Readonly<Partial<Record<(typeof names)[number], string | undefined>>>;

const heading = '# The demo data of the embedded database, written by the server.';

/** `demo.env`: lines of KEY=value that only their owner can read. */
export class DemoFile {
  private readonly file: string;

  constructor(folder: string) {
    this.file = path.join(folder, 'demo.env');
  }

  /** Returns what is remembered: nothing if there is no file. */
  async read(): Promise<DemoMemory> {
    try {
      const values = parseEnv(await readFile(this.file, 'utf8'));
      return Object.fromEntries(names.flatMap((name) => (values[name] ? [[name, values[name]]] : [])));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
      throw error;
    }
  }

  /** Replaces what is remembered; a crash leaves the complete old or new file. */
  async write(memory: DemoMemory): Promise<void> {
    const lines = names.flatMap((name) => (memory[name] === undefined ? [] : [`${name}=${memory[name]}`]));
    const draft = `${this.file}.new`;
    await rm(draft, { force: true });
    await writeFile(draft, [heading, ...lines, ''].join('\n'), { flag: 'wx', mode: 0o600, flush: true });
    await rename(draft, this.file);
  }
}
