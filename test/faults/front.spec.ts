import { readFileSync } from 'node:fs';
import https from 'node:https';
import request, { type Response } from 'supertest';
import { eventually } from '../support/processes.js';
import { expectInvalidKey, expectRefusal } from '../support/expectations.js';
import { aCluster, type ClusterUnderTest } from './support/cluster-target.js';

const api = '/v1/public-api';

describe('the front', () => {
  let under: ClusterUnderTest;
  let agent: https.Agent;
  let url: string;

  beforeAll(async () => {
    under = await aCluster({ members: 1, servers: 2, redis: false, front: true }, { AUTH_FAILURES_PER_MINUTE: '20' });
    url = under.cluster.front?.url ?? '';
    // Checked: what it shows has to fit the address that is called.
    agent = new https.Agent({ ca: readFileSync(under.cluster.authority) });
  }, 120_000);
  afterAll(async () => {
    agent.destroy();
    await under.stop();
  });

  const call = (method: 'get' | 'post', path: string) => {
    const client = request(url);
    return (method === 'get' ? client.get(path) : client.post(path)).agent(agent).ok(() => true);
  };
  const asPartner = (method: 'get' | 'post', path: string) =>
    call(method, `${api}${path}`).set('Authorization', `Bearer ${under.target.partner.apiKey}`);
  const allRun = () =>
    Promise.all(under.cluster.servers.filter(({ isRunning }) => !isRunning).map((one) => one.start()));

  it('gives each server its share', async () => {
    const before = under.cluster.servers.map(linesOfRequests);
    for (let turn = 0; turn < 20; turn++) expect((await asPartner('get', '/teams')).status).toBe(200);
    const shares = under.cluster.servers.map((server, index) => linesOfRequests(server) - (before[index] ?? 0));
    for (const share of shares) expect(share).toBeGreaterThanOrEqual(8);
  });

  it('passes answers on as they are: refusals, and the id that a caller chose', async () => {
    expectInvalidKey(await call('get', `${api}/teams`));
    const answer = await asPartner('get', '/teams').set('X-Request-Id', 'a-partners-own-id');
    expect(answer.headers['x-request-id']).toBe('a-partners-own-id');
    expect(answer.headers['server']).toBeUndefined();
  });

  it('lets a server refuse a body that is far too large in its own words', async () => {
    const answer = await asPartner('post', '/teams').send({ name: 'x'.repeat(3_000_000) });
    expectRefusal(answer, 41300);
  });

  it("tells the servers the caller's address, whatever it forged", async () => {
    await asPartner('get', '/teams').set({ 'X-Request-Id': 'with-forged-address', 'X-Forwarded-For': '203.0.113.9' });
    const logs = under.cluster.servers.map(({ logFile }) => readFileSync(logFile, 'utf8')).join('\n');
    const line = logs.split('\n').find((text) => text.includes('with-forged-address')) ?? '';
    expect(line).toContain('127.0.0.1');
    expect(line).not.toContain('203.0.113.9');
  });

  it('refuses a host that is not its own in the envelope', async () => {
    const answer = await call('get', '/health/live').set('Host', 'elsewhere.example.com');
    expectRefusal(answer, 40400);
  });

  describe('when servers are gone', () => {
    afterEach(async () => {
      await allRun();
      await eventually('the front serves again', async () => (await asPartner('get', '/teams')).status === 200);
    });

    it('sends what one that was just killed cannot get to the other one, writes too', async () => {
      const [first] = under.cluster.servers;
      await first?.kill();
      const answers: Response[] = [];
      for (let number = 0; number < 10; number++) {
        const body = { name: `Late ${number}`, season: under.target.partner.seasonId };
        answers.push(await asPartner('post', '/teams').send(body));
      }
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    });

    it('answers itself, in the envelope and in time', async () => {
      await Promise.all(under.cluster.servers.map((server) => server.kill()));
      const begun = performance.now();
      const read = await asPartner('get', '/teams');
      const write = await asPartner('post', '/teams').set('X-Request-Id', 'a-partners-own-id').send({ name: 'Late' });
      const wrongId = await asPartner('post', '/teams').set('X-Request-Id', under.target.partner.apiKey).send({});
      for (const answer of [read, write, wrongId]) {
        expectRefusal(answer, 50301);
        expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
        expect(answer.headers['cache-control']).toBe('no-store');
      }
      expect(write.headers['x-request-id']).toBe('a-partners-own-id');
      expect(wrongId.text).not.toContain(under.target.partner.apiKey);
      expect(performance.now() - begun).toBeLessThan(10_000);
      const log = readFileSync(under.cluster.front?.logFile ?? '', 'utf8');
      expect(log).toContain(String(read.headers['x-request-id']));
      expect(log).not.toContain(under.target.partner.apiKey);
    });

    it('answers within ten seconds when all of them hang', async () => {
      under.cluster.servers.forEach((server) => server.hang());
      const begun = performance.now();
      const [read, write] = await Promise.all([asPartner('get', '/teams'), asPartner('post', '/teams').send({})]);
      under.cluster.servers.forEach((server) => server.goOn());
      expectRefusal(read, 50301);
      expectRefusal(write, 50301);
      expect(performance.now() - begun).toBeLessThan(10_000);
    });
  });
});

/** How many requests a server has logged. */
function linesOfRequests({ logFile }: { logFile: string }): number {
  return readFileSync(logFile, 'utf8').split('"msg":"request"').length;
}
