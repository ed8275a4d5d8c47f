import { spawn } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { open, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { eventually } from './processes.js';
import { cheapHashes, preload } from './preload.js';
import { compileCache } from './server-process.js';

/** The file entry of a server that the tests of a worker share. */
interface SharedServer {
  readonly url: string;
  readonly databaseUri: string;
  readonly superAdminToken: string;
  readonly pid: number;
  /** The file to which it logs. */
  readonly logFile: string;
}

/** The log of a shared server from now on. */
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

/** Ends a shared server whose test run has died. */
const endWithTheRun = (runPid: number) =>
  `setInterval(() => { try { process.kill(${runPid}, 0); } catch { process.exit(1); } }, 1000).unref();`;

/**
 * Returns the server that the test files of a worker share. Each file runs in its own module registry, so the entry is
 * kept in a file, and the teardown of the run stops the server.
 * @param start starts a server if this worker has none
 */
export async function sharedServer(
  start: (run: (environment: Record<string, string>) => Promise<Spawned>) => Promise<SharedServer>,
): Promise<SharedServer> {
  const { TEST_SHARED_SERVERS: folder = '', TEST_RUN_PID: run, JEST_WORKER_ID: worker = '0' } = process.env;
  const note = path.join(folder, `${worker}.json`);
  if (existsSync(note)) return JSON.parse(await readFile(note, 'utf8')) as SharedServer;
  const server = await start((environment) =>
    spawnDetached(path.join(folder, worker), { ...environment, ...preload(cheapHashes, endWithTheRun(Number(run))) }),
  );
  await writeFile(note, JSON.stringify(server));
  return server;
}

/** Starts the built server detached, so that it outlives the first test file, with a log file. */
async function spawnDetached(place: string, environment: Record<string, string>): Promise<Spawned> {
  const logFile = `${place}.log`;
  const log = await open(logFile, 'w');
  const child = spawn(process.execPath, [path.join(root, 'dist/bundle/main.js')], {
    cwd: path.dirname(place),
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
