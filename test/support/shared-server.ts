import { spawn } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { mkdir, open, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { eventually } from './processes.js';
import { cheapHashes, preload } from './preload.js';
import { compileCache } from './server-process.js';

/** The file entry of the server that the tests of a run share. */
interface SharedServer {
  readonly url: string;
  readonly databaseUri: string;
  readonly superAdminToken: string;
  readonly pid: number;
  /** The file to which it logs. */
  readonly logFile: string;
}

/** The log of the shared server from now on. */
export class SharedLog {
  private readonly start: number;

  constructor(private readonly file: string) {
    this.start = statSync(file).size;
  }

  get text(): string {
    return readFileSync(this.file).subarray(this.start).toString();
  }
}

type Spawned = Pick<SharedServer, 'url' | 'pid' | 'logFile'>;

const root = path.resolve(__dirname, '../..');

/** Ends the shared server whose test run has died. */
const endWithTheRun = (runPid: number) =>
  `setInterval(() => { try { process.kill(${runPid}, 0); } catch { process.exit(1); } }, 1000).unref();`;

/**
 * Returns the server that the test files of a run share: one for each worker would cost a tenth of the processor time.
 * Its entry is kept in a file, and the teardown of the run stops it.
 * @param start starts a server, for the first file that needs one
 */
export async function sharedServer(
  start: (run: (environment: Record<string, string>) => Promise<Spawned>) => Promise<SharedServer>,
): Promise<SharedServer> {
  const { TEST_SHARED_SERVER: folder = '', TEST_RUN_PID: run } = process.env;
  const place = path.join(folder, 'server');
  const note = `${place}.json`;
  const isFirst = await mkdir(place).then(
    () => true,
    () => false,
  );
  if (isFirst) {
    const server = await start((environment) =>
      spawnDetached(place, { ...environment, ...preload(cheapHashes, endWithTheRun(Number(run))) }),
    );
    await writeFile(`${note}.new`, JSON.stringify(server));
    await rename(`${note}.new`, note);
  }
  await eventually('another worker has started the shared server', () => existsSync(note), 25);
  return JSON.parse(await readFile(note, 'utf8')) as SharedServer;
}

/** Starts the built server detached, so that it outlives the first test file, with a log file. */
async function spawnDetached(place: string, environment: Record<string, string>): Promise<Spawned> {
  const logFile = `${place}.log`;
  const log = await open(logFile, 'w');
  const child = spawn(process.execPath, [path.join(root, 'dist/main.js')], {
    cwd: place,
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      PORT: '0',
      HOST: '127.0.0.1',
      ...compileCache,
      ...environment,
    },
  });
  child.unref();
  await log.close();
  let url: string | undefined;
  await eventually(
    'the shared server is ready',
    async () => {
      const said = await readFile(logFile, 'utf8');
      url = /"url":"([^"]+)"[^\n]*"msg":"Ready"/.exec(said)?.[1];
      return url !== undefined;
    },
    20,
  );
  return { url: url ?? '', pid: child.pid ?? 0, logFile };
}
