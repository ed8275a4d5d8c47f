import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import request from 'supertest';
import { eventually, findProcesses } from '../support/processes.js';

const program = path.resolve(__dirname, '../../dist/bundle/main.js');
const login = { email: 'root@example.com', password: 'a password for tests' };
const api = '/v1/public-api';

type Body = Record<string, unknown> & { _id: string };

interface Started {
  readonly child: ChildProcess;
  readonly url: string;
}

describe('a server that is started without MONGODB_URI in an empty folder', () => {
  jest.setTimeout(90_000);
  let folder: string;
  let children: ChildProcess[];

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'first-run-test-'));
    children = [];
  });

  afterEach(async () => {
    for (const child of children) child.kill('SIGKILL');
    await eventually('no process is left', () => findProcesses(folder).length === 0);
    await rm(folder, { recursive: true, force: true });
  });

  const start = async (): Promise<Started> => {
    const child = spawn(process.execPath, [program], {
      cwd: folder,
      env: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        MONGOD_BINARY: process.env['TEST_MONGOD_BINARY'],
        PORT: '0',
        HOST: '127.0.0.1',
        METRICS_PORT: 'off',
        SUPER_ADMIN_EMAIL: login.email,
        SUPER_ADMIN_PASSWORD: login.password,
      },
    });
    children.push(child);
    return { child, url: await addressOf(child) };
  };

  it('serves the typical flow, keeps the data in .data over a restart, and leaves no process', async () => {
    const first = await start();
    const { key, schedule } = await mainJob(first.url);
    expect(existsSync(path.join(folder, '.data', 'mongod'))).toBe(true);
    expect(findProcesses(folder).length).toBeGreaterThan(0);
    expect(await end(first.child, 'SIGINT')).toBe(0);
    expect(findProcesses(folder)).toEqual([]);

    const second = await start();
    const again = await request(second.url)
      .get(`${api}/schedules/${schedule._id}`)
      .set('Authorization', `Bearer ${key}`);
    expect({ status: again.status, body: again.body as unknown }).toEqual({ status: 200, body: { data: schedule } });
    await adminOf(second.url);
    expect(await end(second.child, 'SIGINT')).toBe(0);
    expect(findProcesses(folder)).toEqual([]);
  });

  it('leaves no mongod after kill -9, and starts again with the data', async () => {
    const first = await start();
    const { key, schedule } = await mainJob(first.url);
    await end(first.child, 'SIGKILL');
    await eventually('mongod ends after its server', () => findProcesses(folder).length === 0);

    const second = await start();
    const again = await request(second.url).get(`${api}/schedules`).set('Authorization', `Bearer ${key}`);
    expect(again.body).toEqual({ data: [schedule], total: 1 });
    expect(await end(second.child, 'SIGTERM')).toBe(0);
  });
});

/** Creates a season, two teams, a player and a game over HTTP. */
async function mainJob(url: string): Promise<{ key: string; schedule: Body }> {
  const post = async (route: string, token: string, body: object): Promise<Body> => {
    const call = request(url).post(route).set('Authorization', `Bearer ${token}`).set('idem-key', randomUUID());
    return (await call.send(body).expect(201)).body as Body;
  };
  const admin = await adminOf(url);
  const creator = { name: 'Dana Reyes', email: `${randomUUID()}@example.com`, password: 'correct horse battery' };
  const { _id: organizationId } = await post('/organizations', admin, { name: 'Bay Area', creator });
  const dates = { startDate: '2027-03-01T00:00:00Z', endDate: '2027-06-30T00:00:00Z' };
  const { _id: season } = await post('/seasons', admin, { name: 'Spring', ...dates, organizationId });
  const { apiKey } = (await post('/api-keys', admin, { name: 'Platform', organizationId })) as Body & {
    apiKey: string;
  };
  const hawks = await post(`${api}/teams`, apiKey, { name: 'Hawks', season });
  const foxes = await post(`${api}/teams`, apiKey, { name: 'Foxes', season });
  await post(`${api}/teams/${hawks._id}/players`, apiKey, { name: 'Jordan Lee' });
  const game = { teamId: hawks._id, teamTwoId: foxes._id, startDate: '2027-05-01T10:00:00Z' };
  return { key: apiKey, schedule: await post(`${api}/schedules`, apiKey, game) };
}

async function adminOf(url: string): Promise<string> {
  const response = await request(url).post('/auth/login').send(login).expect(200);
  return (response.body as { accessToken: string }).accessToken;
}

/** Returns the address from the log line of a ready server. */
async function addressOf(child: ChildProcess): Promise<string> {
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`The server ended with ${String(code)}:\n${output}`)));
    child.stdout?.on('data', () => {
      const address = /"address":"([^"]+)"[^\n]*"msg":"Ready"/.exec(output)?.[1];
      if (address !== undefined) resolve(address);
    });
  });
}

function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  return new Promise((resolve) => {
    child.once('exit', (code) => resolve(code));
    child.kill(signal);
  });
}
