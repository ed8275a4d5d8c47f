import { open, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';

/** What the demo remembers from one start to the next. */
export interface DemoMemory {
  readonly apiKey?: string;
  readonly organizationId?: string;
  readonly liveScheduleId?: string;
  /** The super admin that was made up because the configuration named none. */
  readonly adminEmail?: string;
  readonly adminPassword?: string;
  /** Is there from before the first demo record is written until the last one is. */
  readonly unfinished?: string;
}

const names: Readonly<Record<keyof DemoMemory, string>> = {
  apiKey: 'DEMO_API_KEY',
  organizationId: 'DEMO_ORGANIZATION_ID',
  liveScheduleId: 'DEMO_LIVE_SCHEDULE_ID',
  adminEmail: 'DEMO_ADMIN_EMAIL',
  adminPassword: 'DEMO_ADMIN_PASSWORD',
  unfinished: 'DEMO_UNFINISHED',
};
const fields = Object.keys(names) as (keyof DemoMemory)[];
const heading = '# The demo data of the embedded database, as it was made at its first start.';

/** `demo.env`: lines of KEY=value that only the owner may read. */
export class DemoFile {
  private readonly file: string;

  constructor(folder: string) {
    this.file = path.join(folder, 'demo.env');
  }

  /** What is remembered; nothing where there is no file. */
  async read(): Promise<DemoMemory> {
    let text: string;
    try {
      text = await readFile(this.file, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
      throw error;
    }
    const lines = new Map(text.split(/\r?\n/).map((line) => nameAndValue(line)));
    return Object.fromEntries(
      fields.flatMap((field) => {
        const value = lines.get(names[field]);
        return value === undefined || value === '' ? [] : [[field, value]];
      }),
    );
  }

  /** Replaces what is remembered: a crash leaves the old file or the new one, whole. */
  async write(memory: DemoMemory): Promise<void> {
    const lines = fields.flatMap((field) => (memory[field] === undefined ? [] : [`${names[field]}=${memory[field]}`]));
    const draft = `${this.file}.new`;
    await rm(draft, { force: true });
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile([heading, ...lines, ''].join('\n'));
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, this.file);
  }
}

function nameAndValue(line: string): [string, string] {
  const equals = line.indexOf('=');
  return [line.slice(0, Math.max(equals, 0)).trim(), line.slice(equals + 1).trim()];
}
