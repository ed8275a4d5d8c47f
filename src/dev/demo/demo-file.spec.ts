import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DemoFile } from './demo-file.js';

describe('demo.env', () => {
  let folder: string;
  let file: DemoFile;
  const text = () => readFile(path.join(folder, 'demo.env'), 'utf8');

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'demo-file-'));
    file = new DemoFile(folder);
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('is empty if there is no file', async () => {
    expect(await file.read()).toEqual({});
  });

  it('returns the stored values, written as lines of KEY=value', async () => {
    const memory = {
      API: 'http://localhost:3000/v1/public-api',
      DEMO_API_KEY: 'ffk_live_x',
      DEMO_ADMIN_EMAIL: 'admin@demo.example',
      DEMO_ADMIN_PASSWORD: 'a=b-_9',
    };
    await file.write(memory);
    expect(await file.read()).toEqual(memory);
    expect((await text()).split('\n')).toContain('DEMO_API_KEY=ffk_live_x');
    expect((await text()).split('\n')).toContain(`export API=${memory.API}`);
    await file.write({ DEMO_ORGANIZATION_ID: '1' });
    expect(await file.read()).toEqual({ DEMO_ORGANIZATION_ID: '1' });
  });

  it('is readable only by its owner, even if it replaces other files', async () => {
    for (const name of ['demo.env', 'demo.env.new']) {
      await writeFile(path.join(folder, name), 'left by a crash');
      await chmod(path.join(folder, name), 0o666);
    }
    await file.write({ DEMO_API_KEY: 'ffk_live_x' });
    expect((await stat(path.join(folder, 'demo.env'))).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['demo.env']);
  });

  it('accepts lines edited by hand, and ignores unknown ones', async () => {
    await writeFile(
      path.join(folder, 'demo.env'),
      '# mine\r\n DEMO_API_KEY = ffk_live_x \r\nDEMO_ADMIN_EMAIL=\nOTHER=1',
    );
    expect(await file.read()).toEqual({ DEMO_API_KEY: 'ffk_live_x' });
  });
});
