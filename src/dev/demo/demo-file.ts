import { existsSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseEnv } from 'node:util';

const names = [
  // The URL that commands and programs of the documents use, exported for the programs.
  'API',
  'DEMO_API_KEY',
  'DEMO_ORGANIZATION_ID',
  'DEMO_LIVE_SCHEDULE_ID',
  // The super admin that was generated because the configuration has none.
  'DEMO_ADMIN_EMAIL',
  'DEMO_ADMIN_PASSWORD',
  // Set before the first demo record is written, and removed after the last one.
  'DEMO_UNFINISHED',
] as const;

export type DemoState = Readonly<Partial<Record<(typeof names)[number], string | undefined>>>;

const heading = '# State of the demo data in the embedded database, written by the server.';

/** The file `demo.env`: lines of KEY=value for shells, readable only by its owner. */
export class DemoFile {
  private readonly file: string;

  constructor(folder: string) {
    this.file = path.join(folder, 'demo.env');
  }

  /** Reads the state, which is empty if there is no file. */
  async read(): Promise<DemoState> {
    const values = existsSync(this.file) ? parseEnv(await readFile(this.file, 'utf8')) : {};
    return Object.fromEntries(names.flatMap((name) => (values[name] ? [[name, values[name]]] : [])));
  }

  /** Replaces the state atomically, so that a crash leaves the complete old or new file. */
  async write(state: DemoState): Promise<void> {
    const lines = names.flatMap((name) =>
      state[name] === undefined ? [] : [`${name === 'API' ? 'export ' : ''}${name}=${state[name]}`],
    );
    const draft = `${this.file}.new`;
    await rm(draft, { force: true });
    await writeFile(draft, [heading, ...lines, ''].join('\n'), { flag: 'wx', mode: 0o600, flush: true });
    await rename(draft, this.file);
  }
}
