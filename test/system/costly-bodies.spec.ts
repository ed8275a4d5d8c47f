import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { statisticsTable } from '../../src/modules/statistics/rules/statistics-table.js';
import { exampleOf, inputsOf, requestOf } from '../support/documented-requests.js';
import { bodyLimitOf, bodyOperations, costlyValues, sendBody } from '../support/hostile-bodies.js';
import { countsThreadTime, mainThreadTime } from '../support/main-thread-time.js';
import { scrapeMetrics } from '../support/metrics.js';
import { api, createOrganization } from '../support/organization.js';
import { eventually } from '../support/processes.js';
import { cheapHashes, preload, turnMeter } from '../support/preload.js';
import { RawConnection } from '../support/raw-http.js';
import { RunningServer } from '../support/server.js';

/** In milliseconds of processor time: at most 25 on the development machine. */
const maxCost = 60;
/** Operations whose bodies have every kind of field; all others use the same fields. */
const tested = ['createSchedule', 'updatePlayer', 'createApiKey', 'createOrganizationAdmin', 'createWebhookEndpoint'];
const operations = bodyOperations.filter((one) => tested.includes(one.id) || bodyLimitOf(one) > 102_400);

const server = RunningServer.forTests({
  ...preload(cheapHashes, turnMeter),
  WEBHOOK_WORKER: 'off',
  METRICS_PORT: '0',
  RATE_LIMIT_PER_MINUTE: '1000',
});

(countsThreadTime ? describe : describe.skip)('no body occupies the event loop', () => {
  it.each(operations)('of $id', async (operation) => {
    const organization = await createOrganization(server);
    const inputs = inputsOf(operation).filter(({ place }) => place === 'body');
    const { body: usual } = requestOf(operation, new Map(inputs.map((input) => [input, exampleOf(input)])));
    const names = new Set([...Object.keys(usual ?? {}), 'rows', 'unknown']);
    const bodies = costlyValues(bodyLimitOf(operation) - 1_500).flatMap(({ what, json }) =>
      [...names].map((name) => {
        const body = JSON.stringify({ ...usual, [name]: '<value>' }).replace('"<value>"', () => json);
        return { what: `${name}: ${what}`, json: body };
      }),
    );
    const costs: { what: string; cost: number; status: number }[] = [];
    for (const { what, json } of bodies) {
      const body = gzipSync(json, { level: 1 });
      let cost = Infinity;
      let status = 0;
      // Repeated if it is high: it can include a garbage collection or a compilation.
      for (let attempt = 0; attempt < 3 && cost > maxCost; attempt++) {
        const before = mainThreadTime(server);
        ({ status } = await sendBody(organization, operation, body, { 'Content-Encoding': 'gzip' }));
        cost = Math.min(cost, mainThreadTime(server) - before);
      }
      costs.push({ what, cost, status });
    }
    expect(costs.filter(({ cost }) => cost > maxCost)).toEqual([]);
  });
});

/** Returns the processor time of the longest turn of the event loop during some work, in milliseconds. */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  const said = (text: string) => server.log.split(text).length;
  const signal = async (text: string) => {
    const before = said(text);
    server.process.kill('SIGUSR2');
    await eventually(text, () => said(text) > before);
  };
  await signal('measuring turns');
  await work();
  await signal('longest turn: ');
  return Number(server.log.split('longest turn: ').at(-1)?.split(' ')[0]);
}

/** In milliseconds of processor time: 23 on a slow machine, where 100 undivided schedules take 76. */
const maxTurn = 35;

/** Repeats work whose longest turn is too long: it can include a garbage collection or a compilation. */
async function expectShortTurns(work: () => Promise<unknown>): Promise<void> {
  let turn = Infinity;
  for (let attempt = 0; attempt < 10 && turn > maxTurn; attempt++) turn = Math.min(turn, await longestTurn(work));
  expect(turn).toBeLessThanOrEqual(maxTurn);
}

describe('the work for many rows is divided into turns of the event loop', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => index);
  /** Nearly as many values as fit into a body of 100 rows. */
  const location = Object.fromEntries(Array.from({ length: 230 }, (_, index) => [index.toString(36), '']));
  const game = {
    startDate: '2027-05-01T10:00:00Z',
    timeZone: 'America/Denver',
    teamTwoName: 'Ü'.repeat(100),
    eventTitle: '🏈'.repeat(200),
    practiceNote: 'Ü 🏈a'.repeat(450),
    location,
  };
  const kinds = {
    teams: { row: { name: 'Ü'.repeat(100), logoUrl: `https://example.com/${'a'.repeat(1_900)}` }, field: 'name' },
    players: { row: { name: 'Ü'.repeat(100), position: ['QB', 'WR', 'C'] }, field: 'name' },
    schedules: { row: game, field: 'eventTitle' },
  };

  it.each(Object.entries(kinds))('of created, updated and unchanged %s', async (kind, { row, field }) => {
    const organization = await createOrganization(server);
    const { _id: season } = await organization.season();
    const { _id: teamId } = await organization.team({ season });
    const path = kind === 'players' ? `/teams/${teamId}/players/bulk` : `/${kind}/bulk`;
    const parents = { teams: { season }, players: {}, schedules: { teamId } }[kind];
    let page = 0;
    const send = async (result: string, more: object = {}) => {
      const rows = hundred.map((index) => ({ ...row, ...parents, externalId: `${page}-${index}`, ...more }));
      const response = await organization.call('post', path).send({ rows });
      expect(response.body).toMatchObject({ summary: { [result]: 100 } });
    };
    await expectShortTurns(async () => {
      page++;
      await send('created');
      await send('updated', { [field]: 'Üä' });
      await send('unchanged', { [field]: 'Üä' });
    });
  });

  it.each([
    [61, 256],
    [100, 60],
  ])('of %i rows with %i unknown names', async (count, names) => {
    const organization = await createOrganization(server);
    const unknown = Object.fromEntries(Array.from({ length: names - 1 }, (_, index) => [`_${index}`, {}]));
    const rows = hundred.slice(0, count).map((index) => ({ externalId: String(index), ...unknown }));
    await expectShortTurns(async () => {
      const response = await organization.call('post', '/schedules/bulk').send({ rows });
      expect(response.body).toMatchObject({ summary: { failed: count } });
    });
  });

  it('of statistics', async () => {
    const organization = await createOrganization(server);
    const { _id: teamId } = await organization.team();
    const { _id: scheduleId } = await organization.schedule(teamId);
    const players = [0, 1].map((page) =>
      hundred.map((index) => ({ externalId: `${page}-${index}`, name: `Ü ${index}` })),
    );
    for (const rows of players) await organization.call('post', `/teams/${teamId}/players/bulk`).send({ rows });
    const rows = players.flat().flatMap(({ externalId: playerExternalId }) =>
      Object.entries(statisticsTable).map(([category, { counters }]) => {
        return {
          playerExternalId,
          category,
          stats: Object.fromEntries(Object.keys(counters).map((name) => [name, 0])),
        };
      }),
    );
    await expectShortTurns(async () => {
      const put = organization.call('put', `/schedules/${scheduleId}/player-statistics`);
      const response = await put.send({ rows });
      expect(response.body).toMatchObject({ total: 1_000 });
    });
  });
});

(existsSync('/proc/self/status') ? it : it.skip)(
  'a slow compressed body occupies only what was received of it',
  async () => {
    const organization = await createOrganization(server);
    const body = gzipSync(`{"rows":"${' '.repeat(1_000_000)}"}`);
    const lines = [
      `POST ${api}/teams/bulk HTTP/1.1`,
      'Host: localhost',
      `Authorization: Bearer ${organization.key.apiKey}`,
      'Content-Type: application/json',
      'Content-Encoding: gzip',
      `Content-Length: ${body.length}`,
    ];
    const before = residentMegabytes();
    const connections = await Promise.all(Array.from({ length: 200 }, () => RawConnection.open(server.url)));
    for (const connection of connections) {
      connection.send(`${lines.join('\r\n')}\r\n\r\n`);
      connection.send(body.subarray(0, -1));
    }
    await eventually('all bodies are being received', async () => {
      const metrics = await scrapeMetrics(server);
      return metrics.sum('ffapi_http_requests_in_flight') === connections.length;
    });
    await eventually('the server has nothing left to do', async () => {
      const spent = mainThreadTime(server);
      await sleep(500);
      return mainThreadTime(server) - spent < 25;
    });
    expect(residentMegabytes() - before).toBeLessThan(100);
    for (const connection of connections) connection.close();
  },
);

function residentMegabytes(): number {
  const status = readFileSync(`/proc/${String(server.process.pid)}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1_024;
}
