import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { bodyLimitOf, BodyTarget, bodyOperations } from '../support/body-target.js';
import { costlyValues } from '../support/hostile-bodies.js';
import { scrapeMetrics } from '../support/metrics.js';
import { api, createOrganization } from '../support/organization.js';
import { eventually } from '../support/processes.js';
import { RawConnection } from '../support/raw-http.js';
import { RunningServer } from '../support/server.js';

/** In milliseconds of processor time: at most 25 on the development machine. */
const maxCost = 60;
/** Operations whose bodies have every kind of field; all others use the same fields. */
const tested = ['createSchedule', 'updatePlayer', 'createApiKey', 'createOrganizationAdmin', 'createWebhookEndpoint'];
const operations = bodyOperations.filter((one) => tested.includes(one.id) || bodyLimitOf(one) > 102_400);

const server = RunningServer.forTests({ WEBHOOK_WORKER: 'off', METRICS_PORT: '0', RATE_LIMIT_PER_MINUTE: '1000' });

/** Returns the processor time of the server's main thread in milliseconds, which other processes do not affect. */
function mainThreadTime(): number {
  const pid = String(server.process.pid);
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1_000_000;
}

(existsSync('/proc/self/schedstat') ? describe : describe.skip)('no body occupies the event loop', () => {
  it.each(operations)('of $id', async (operation) => {
    const target = await BodyTarget.create(server, operation);
    const limit = bodyLimitOf(operation);
    await target.send(JSON.stringify(target.body()));
    const inputs = target.fields.filter(({ keys }) => keys.length === 1);
    const bodies = costlyValues(limit - 1_500).flatMap(({ what, json }) => [
      ...inputs.map((input) => ({ what: `${input.field}: ${what}`, json: target.bodyWith([input], json) })),
      ...['rows', 'unknown'].map((name) => ({ what: `${name}: ${what}`, json: `{"${name}":${json}}` })),
    ]);
    const costs: { what: string; cost: number; status: number }[] = [];
    for (const { what, json } of bodies) {
      const body = gzipSync(json, { level: 1 });
      let cost = Infinity;
      let status = 0;
      // Repeated if it is high: it can include a garbage collection or a compilation.
      for (let attempt = 0; attempt < 3 && cost > maxCost; attempt++) {
        const before = mainThreadTime();
        ({ status } = await target.send(body, { 'Content-Encoding': 'gzip' }));
        cost = Math.min(cost, mainThreadTime() - before);
      }
      costs.push({ what, cost, status });
    }
    expect(costs.filter(({ cost }) => cost > maxCost)).toEqual([]);
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
      const spent = mainThreadTime();
      await sleep(500);
      return mainThreadTime() - spent < 25;
    });
    expect(residentMegabytes() - before).toBeLessThan(100);
    for (const connection of connections) connection.close();
  },
);

function residentMegabytes(): number {
  const status = readFileSync(`/proc/${String(server.process.pid)}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1_024;
}
