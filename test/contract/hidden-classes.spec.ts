import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { anOrganization, api } from '../support/organization.js';
import { bundle } from '../support/server-process.js';
import { RunningServer } from '../support/server.js';

jest.setTimeout(60_000);

const rounds = 400;
const pause = 600;

/**
 * V8 makes a hidden class for each shape of objects, in the part of the heap that only a whole collection clears. A server
 * that goes on making them for each request is slow: no code knows the new ones.
 */
describe('a server that has seen all its routes', () => {
  let folder: string;
  let server: RunningServer;
  let log: string;
  let startedAt: number;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'hidden-classes-'));
    log = path.join(folder, 'maps.log');
    const options = ['--log-maps', '--no-log-maps-details', '--no-logfile-per-isolate', `--logfile=${log}`];
    startedAt = Date.now();
    server = await RunningServer.start({ RATE_LIMIT_PER_MINUTE: '100000' }, ...options, bundle);
  });
  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  });

  /** When V8 made each class from the start on, in milliseconds; the process has to be over. */
  async function madeAt(): Promise<number[]> {
    const lines = (await readFile(log, 'utf8')).split('\n').filter((line) => line.startsWith('map,Transition,'));
    return lines.map((line) => Number(line.split(',')[2]) / 1_000);
  }

  it('makes no hidden classes for a further request', async () => {
    const organization = await anOrganization(server);
    const team = await organization.team();
    const schedule = await organization.schedule(team._id);
    // On a connection that is kept: for each new one Node makes some itself.
    const headers = { Authorization: `Bearer ${organization.key.apiKey}`, 'Content-Type': 'application/json' };
    const call = async (method: string, path: string, body?: object) => {
      const answer = await fetch(`${server.url}${api}${path}`, {
        method,
        headers,
        ...(body && { body: JSON.stringify(body) }),
      });
      await answer.text();
      expect(answer.status).toBe(200);
    };
    const ask = async (times: number) => {
      for (let time = 0; time < times; time++) {
        await call('GET', `/schedules/${schedule._id}`);
        await call('GET', '/schedules?filter=upcoming');
        await call('PATCH', `/schedules/${schedule._id}`, { teamId: team._id, eventTitle: `Game ${time}` });
      }
    };
    await ask(rounds);
    await sleep(pause);
    const seen = Date.now() - startedAt - pause / 2;
    await ask(rounds);
    await server.end();
    const all = await madeAt();
    const later = all.filter((milliseconds) => milliseconds > seen).length;
    // The log is one: the start makes thousands. Some come late, with what is done once in a while and at the end.
    expect(all.length).toBeGreaterThan(5_000);
    expect(later).toBeLessThan(rounds);
  });
});
