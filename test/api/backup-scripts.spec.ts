import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const scripts = path.resolve(__dirname, '../../deploy/backup');

/** With commands that stand for mongodump, encryption and mongorestore. */
describe('the backup scripts', () => {
  let folder: string;
  const at = (...names: string[]) => path.join(folder, ...names);
  const run = (script: string, variables: Record<string, string>) =>
    promisify(execFile)('bash', [path.join(scripts, script)], {
      cwd: folder,
      env: { PATH: process.env['PATH'], BACKUP_FOLDER: at('backups'), ...variables },
    });
  const backUp = (more = {}) => run('back-up.sh', { DUMP: 'echo records', ...more });
  const testRestore = (more = {}) => run('restore-test.sh', { RESTORE: 'cat > restored', ...more });
  const kept = async () => (await readdir(at('backups'))).filter((name) => name !== 'metrics').sort();
  const metric = (name: string) => readFile(at('backups/metrics', `${name}.prom`), 'utf8').catch(() => undefined);

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'backup-scripts-'));
    await writeFile(at('.env'), 'LOG_LEVEL=info\n');
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('keep a backup and its time only if it is whole', async () => {
    await expect(backUp({ DUMP: 'echo half; exit 3' })).rejects.toThrow();
    await expect(backUp({ DUMP: 'true' })).rejects.toThrow('The dump is empty.');
    expect([await kept(), await metric('backup')]).toEqual([[], undefined]);

    const before = Math.floor(Date.now() / 1_000);
    await backUp();
    const [name = '', ...others] = await kept();
    expect([name, others]).toEqual([expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.archive\.gz$/), []]);
    const [, began] =
      /^backup_success_timestamp_seconds (\d+)\nbackup_size_bytes 8\n$/.exec((await metric('backup')) ?? '') ?? [];
    expect(Number(began)).toBeGreaterThanOrEqual(before);

    await expect(backUp({ DUMP: 'exit 3' })).rejects.toThrow();
    expect(await kept()).toEqual([name]);
  });

  it('delete old backups, but only after a newer one', async () => {
    await backUp();
    const [first = ''] = await kept();
    const old = '2000-01-01T00-00-00Z.archive.gz';
    await rename(at('backups', first), at('backups', old));
    await utimes(at('backups', old), 0, 0);
    await expect(backUp({ DUMP: 'exit 3' })).rejects.toThrow();
    expect(await kept()).toEqual([old]);
    await backUp();
    expect(await kept()).toEqual([expect.not.stringContaining(old)]);
  });

  it('save secrets only encrypted', async () => {
    await backUp({ SETTINGS: '.env', ENCRYPT: 'base64' });
    const names = await kept();
    expect(names).toEqual([
      expect.stringMatching(/\.archive\.gz\.encrypted$/),
      expect.stringMatching(/\.settings\.tar\.gz\.encrypted$/),
    ]);
    expect(Buffer.from(await readFile(at('backups', names[0] ?? ''), 'utf8'), 'base64').toString()).toBe('records\n');
    await expect(testRestore()).rejects.toThrow('the backup is encrypted');
    await testRestore({ DECRYPT: 'base64 --decode' });
    expect(await readFile(at('restored'), 'utf8')).toBe('records\n');
  });

  it('restore the newest backup, and keep the time only if that succeeds', async () => {
    await expect(testRestore()).rejects.toThrow('There is no backup');
    await backUp();
    await writeFile(at('backups/2000-01-01T00-00-00Z.archive.gz'), 'old');
    await expect(testRestore({ RESTORE: 'cat > restored; exit 1' })).rejects.toThrow();
    expect([await readFile(at('restored'), 'utf8'), await metric('restore-test')]).toEqual(['records\n', undefined]);
    await testRestore();
    expect(await metric('restore-test')).toMatch(/^restore_test_success_timestamp_seconds \d{10}\n$/);
  });
});
