import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { MongoClient } from 'mongodb';
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

  it('listens only on 127.0.0.1, without a socket file, in its own process group, aborts an abandoned transaction after 5 s, is the only one on its folder, and stops gracefully, even if stopped repeatedly; a broken one reports its output', async () => {
    const embedded = await start();
    const port = Number(new URL(embedded.uri).port);
    const others = Object.values(os.networkInterfaces()).flatMap((addresses) => addresses ?? []);
    const addresses = new Set(['127.0.0.2', '::1', ...others.map(({ address }) => address)]);
    addresses.delete('127.0.0.1');
    expect(await accepts('127.0.0.1', port)).toBe(true);
    for (const address of addresses) expect([address, await accepts(address, port)]).toEqual([address, false]);
    expect(existsSync(path.join(os.tmpdir(), `mongodb-${port}.sock`))).toBe(false);

    const client = await new MongoClient(embedded.uri).connect();
    const parameter = { getParameter: 1, transactionLifetimeLimitSeconds: 1 };
    const { transactionLifetimeLimitSeconds: limit } = await client.db('admin').command(parameter);
    await client.close();
    expect(limit).toBe(5);
    const [mongod] = findProcesses(dataFolder).filter(({ command }) => command.startsWith(mongodBinary));
    // So that Ctrl-C in the terminal does not stop it before the server.
    expect(() => process.kill(-(mongod?.pid ?? NaN), 0)).not.toThrow();
    expect(messages).toEqual([]);
    const dbPath = path.join(dataFolder, 'mongod');
    await expect(start()).rejects.toThrow(
      `Another MongoDB (process ${mongod?.pid ?? '?'}) is using the data folder ${dbPath}.`,
    );
    expect(messages).toEqual([`Waiting for another MongoDB on ${dbPath} to stop …`]);

    expect(findProcesses(dataFolder)).toHaveLength(1);
    await Promise.all([embedded.stop(), embedded.stop()]);
    expect(findProcesses(dataFolder)).toEqual([]);
    // Otherwise it has the ID of the process.
    expect(await readFile(path.join(dbPath, 'mongod.lock'), 'utf8')).toBe('');
    await writeFile(path.join(dbPath, 'WiredTiger.turtle'), 'garbage');
    await expect(start()).rejects.toThrow(/did not start: .*WiredTiger\.turtle.* Its log: .*mongod\.log/);
  });
});

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
