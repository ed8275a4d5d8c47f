import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { type Db, MongoClient } from 'mongodb';
import { type MongodbServer, startEmbeddedMongod } from '../../src/dev/embedded-mongod/embedded-mongod.js';
import { eventually, findProcesses } from '../support/processes.js';

const mongodBinary = process.env['TEST_MONGOD_BINARY'] ?? '';

describe('the embedded MongoDB', () => {
  let dataFolder: string;
  let messages: string[];
  let started: MongodbServer[];

  const start = async (): Promise<MongodbServer> => {
    const embedded = await startEmbeddedMongod({ dataFolder, mongodBinary, progress: (line) => messages.push(line) });
    started.push(embedded);
    return embedded;
  };

  beforeEach(async () => {
    dataFolder = await mkdtemp(path.join(os.tmpdir(), 'embedded-test-'));
    messages = [];
    started = [];
  });

  afterEach(async () => {
    await Promise.all(started.map((embedded) => embedded.stop()));
    await eventually('no process is left', () => findProcesses(dataFolder).length === 0);
    await rm(dataFolder, { recursive: true, force: true });
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

  it('is in its own process group, so that Ctrl-C in the terminal does not stop it before the server', async () => {
    await start();
    const [mongod] = findProcesses(dataFolder).filter(({ command }) => command.startsWith(mongodBinary));
    expect(() => process.kill(-(mongod?.pid ?? NaN), 0)).not.toThrow();
  });

  it('reports the output of a mongod that cannot start', async () => {
    await (await start()).stop();
    await writeFile(path.join(dataFolder, 'mongod', 'WiredTiger.turtle'), 'garbage');
    await expect(start()).rejects.toThrow(/did not start: .*WiredTiger\.turtle.* Its log: .*mongod\.log/);
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
