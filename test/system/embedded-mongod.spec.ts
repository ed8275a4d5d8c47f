import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { type Db, MongoClient } from 'mongodb';
import { type EmbeddedMongod, startEmbeddedMongod } from '../../src/dev/embedded-mongod/embedded-mongod.js';
import { eventually, findProcesses } from '../support/processes.js';

const mongodBinary = process.env['TEST_MONGOD_BINARY'] ?? '';
const built = pathToFileURL(path.resolve('dist/dev/embedded-mongod/embedded-mongod.js')).href;

describe('the embedded MongoDB', () => {
  let dataFolder: string;
  let messages: string[];
  let started: EmbeddedMongod[];
  let servers: ChildProcess[];

  const start = async (): Promise<EmbeddedMongod> => {
    const embedded = await startEmbeddedMongod({ dataFolder, mongodBinary, progress: (line) => messages.push(line) });
    started.push(embedded);
    return embedded;
  };

  beforeEach(async () => {
    dataFolder = await mkdtemp(path.join(os.tmpdir(), 'embedded-test-'));
    messages = [];
    started = [];
    servers = [];
  });

  afterEach(async () => {
    for (const server of servers) server.kill('SIGKILL');
    await Promise.all(started.map((embedded) => embedded.stop()));
    await eventually('no process is left', () => findProcesses(dataFolder).length === 0);
    await rm(dataFolder, { recursive: true, force: true });
  });

  /** Starts the mongod from a separate process in its own group, like a shell; stops gracefully on SIGINT. */
  const startServer = async (): Promise<{
    server: ChildProcess;
    uri: string;
    said: (line: string) => Promise<void>;
  }> => {
    const program = `
      const { startEmbeddedMongod } = await import(${JSON.stringify(built)});
      const options = ${JSON.stringify({ dataFolder, mongodBinary })};
      const embedded = await startEmbeddedMongod({ ...options, progress: () => {} });
      console.log(embedded.uri);
      const alive = setInterval(() => {}, 1000);
      process.on('SIGINT', async () => {
        const { MongoClient } = await import('mongodb');
        const client = new MongoClient(embedded.uri, { serverSelectionTimeoutMS: 1000 });
        await client.db().command({ ping: 1 });
        console.log('MongoDB still responds');
        await client.close();
        await embedded.stop();
        clearInterval(alive);
        console.log('stopped in order');
      });`;
    const server = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    servers.push(server);
    const lines: string[] = [];
    createInterface({ input: server.stdout }).on('line', (line) => lines.push(line));
    const said = (line: string): Promise<void> => eventually(line, () => lines.includes(line));
    await eventually('the URI is printed', () => lines.length > 0 || server.exitCode !== null);
    expect(server.exitCode).toBeNull();
    return { server, uri: lines[0] ?? '', said };
  };

  it('starts in an empty folder, accepts writes, and names the database flagfootball', async () => {
    const { uri } = await start();
    await withDatabase(uri, async (database) => {
      expect(database.databaseName).toBe('flagfootball');
      await database.collection('teams').insertOne({ name: 'Hawks' }, { writeConcern: { w: 'majority' } });
      expect(await database.collection('teams').countDocuments()).toBe(1);
    });
    expect(messages).toEqual([]);
  });

  it('runs transactions and aborts an abandoned one after 5 s instead of 60 s', async () => {
    const { uri } = await start();
    await withDatabase(uri, async (database, client) => {
      const teams = database.collection('teams');
      await client.withSession(async (session) => {
        await session.withTransaction(() => teams.insertOne({ name: 'Hawks' }, { session }));
        session.startTransaction();
        await teams.insertOne({ name: 'never' }, { session });
        await session.abortTransaction();
      });
      expect(await teams.countDocuments()).toBe(1);
      const { transactionLifetimeLimitSeconds: limit } = await client
        .db('admin')
        .command({ getParameter: 1, transactionLifetimeLimitSeconds: 1 });
      expect(limit).toBe(5);
    });
  });

  it('listens only on 127.0.0.1, without a socket file', async () => {
    const port = Number(new URL((await start()).uri).port);
    const others = Object.values(os.networkInterfaces()).flatMap((addresses) => addresses ?? []);
    const addresses = new Set(['127.0.0.2', '::1', ...others.map(({ address }) => address)]);
    addresses.delete('127.0.0.1');
    expect(await accepts('127.0.0.1', port)).toBe(true);
    for (const address of addresses) expect([address, await accepts(address, port)]).toEqual([address, false]);
    expect(existsSync(path.join(os.tmpdir(), `mongodb-${port}.sock`))).toBe(false);
  });

  it('keeps its data between runs, each on another port', async () => {
    const ports = new Set<string>();
    for (const run of [0, 1, 2]) {
      const embedded = await start();
      ports.add(new URL(embedded.uri).port);
      await withDatabase(embedded.uri, async (database) => {
        expect(await database.collection('runs').countDocuments()).toBe(run);
        await database.collection('runs').insertOne({ run });
      });
      await embedded.stop();
    }
    expect(ports.size).toBeGreaterThan(1);
  });

  it('stops gracefully and leaves no process, even if stopped repeatedly', async () => {
    const embedded = await start();
    expect(findProcesses(dataFolder)).toHaveLength(1);
    await Promise.all([embedded.stop(), embedded.stop()]);
    expect(findProcesses(dataFolder)).toEqual([]);
    expect(await readFile(path.join(dataFolder, 'mongod.log'), 'utf8')).toMatch(/"exitCode":0\}/);
    expect(messages).toEqual([]);
  });

  it('rejects a folder in use with the folder and the process ID', async () => {
    await start();
    const mongod = findProcesses(dataFolder).find(({ command }) => command.startsWith(mongodBinary));
    const dbPath = path.join(dataFolder, 'mongod');
    await expect(start()).rejects.toThrow(
      `Another MongoDB (process ${mongod?.pid ?? '?'}) is using the data folder ${dbPath}.`,
    );
    expect(messages).toEqual([`Waiting for another MongoDB on ${dbPath} to stop …`]);
  });

  it('ends with a server killed with -9, and starts again at once with the data', async () => {
    const { server, uri } = await startServer();
    await withDatabase(uri, (database) => database.collection('teams').insertOne({ name: 'Hawks' }));
    server.kill('SIGKILL');
    const embedded = await start();
    await withDatabase(embedded.uri, async (database) => {
      expect(await database.collection('teams').countDocuments()).toBe(1);
    });
    await embedded.stop();
    expect(findProcesses(dataFolder)).toEqual([]);
  });

  it('ends with a server killed with -9, even if nothing starts after it', async () => {
    const { server } = await startServer();
    server.kill('SIGKILL');
    await eventually('no process is left', () => findProcesses(dataFolder).length === 0);
    expect(await readFile(path.join(dataFolder, 'mongod.log'), 'utf8')).toMatch(/"exitCode":0\}/);
  });

  it('ignores Ctrl-C in the terminal, so that the server can finish and stop it', async () => {
    const { server, said } = await startServer();
    process.kill(-(server.pid ?? 0), 'SIGINT');
    await said('MongoDB still responds');
    await said('stopped in order');
    if (server.exitCode === null) await once(server, 'exit');
    expect(server.exitCode).toBe(0);
  });

  it('reports that mongod exited while in use', async () => {
    const embedded = await start();
    const mongod = findProcesses(dataFolder).find(({ command }) => command.startsWith(mongodBinary));
    process.kill(mongod?.pid ?? 0, 'SIGKILL');
    expect(await embedded.ended).toBe('ended by SIGKILL');
  });

  it('reports the output of a mongod that cannot start', async () => {
    await (await start()).stop();
    await writeFile(path.join(dataFolder, 'mongod', 'WiredTiger.turtle'), 'garbage');
    await expect(start()).rejects.toThrow(/did not start: .*WiredTiger\.turtle.* Its log: .*mongod\.log/);
  });

  it('reports an invalid MONGOD_BINARY and does not search for another one', async () => {
    const wrong = { dataFolder, mongodBinary: '/nowhere/mongod', progress: (line: string) => messages.push(line) };
    await expect(startEmbeddedMongod(wrong)).rejects.toThrow(
      'MONGOD_BINARY names /nowhere/mongod, which cannot be used: not found',
    );
    expect(messages).toEqual([]);
  });

  it('reports a data folder that cannot be used', async () => {
    const file = path.join(dataFolder, 'file');
    await writeFile(file, '');
    await expect(startEmbeddedMongod({ dataFolder: file, mongodBinary, progress: () => undefined })).rejects.toThrow(
      `The data folder ${file} of the embedded MongoDB cannot be used`,
    );
  });
});

async function withDatabase<T>(uri: string, work: (database: Db, client: MongoClient) => Promise<T>): Promise<T> {
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: 5_000 });
  try {
    return await work(client.db(), client);
  } finally {
    await client.close();
  }
}

function accepts(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect({ host, port, timeout: 2_000 });
    const done = (accepted: boolean): void => {
      socket.destroy();
      resolve(accepted);
    };
    socket.on('connect', () => done(true));
    socket.on('error', () => done(false)).on('timeout', () => done(false));
  });
}
