import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import https from 'node:https';
import tls from 'node:tls';
import request, { type Response } from 'supertest';
import { eventually } from '../../support/processes.js';
import { expectError } from '../../support/expectations.js';
import { createOrganization, type TestOrganization } from '../../support/organization.js';
import { createCluster, type ClusterUnderTest } from './support/cluster-target.js';

const api = '/v1/public-api';
/** Invalid keys per minute, address and server. */
const guesses = 10;

describe('the proxy', () => {
  let under: ClusterUnderTest;
  let agent: https.Agent;
  let url: string;
  let organization: TestOrganization;
  let season: string;

  beforeAll(async () => {
    under = await createCluster(
      { members: 1, servers: 2, redis: false },
      { AUTH_FAILURES_PER_MINUTE: String(guesses) },
    );
    url = under.cluster.proxy?.url ?? '';
    // Verifies that the certificate matches the address.
    agent = new https.Agent({ ca: readFileSync(under.cluster.authority) });
    organization = await createOrganization(under.proxy);
    season = (await organization.season())._id;
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
    call(method, `${api}${path}`).set('Authorization', `Bearer ${organization.key.apiKey}`);
  const allRun = () =>
    Promise.all(under.cluster.servers.filter(({ isRunning }) => !isRunning).map((one) => one.start()));

  it('sends the address of the client to the servers, neither its own nor a forged one', async () => {
    const guessFrom = async (localAddress: string, forged: string) => {
      const own = new https.Agent({ ca: readFileSync(under.cluster.authority), localAddress });
      const answer = await call('get', `${api}/teams`).agent(own).set('X-Forwarded-For', forged);
      own.destroy();
      return answer.status;
    };
    const statuses: number[] = [];
    // Enough for each server to get its part at random.
    for (let number = 0; number < 6 * guesses; number++)
      statuses.push(await guessFrom('127.0.0.2', `203.0.113.${number}`));
    expect(statuses.slice(-2)).toEqual([429, 429]);
    expect(statuses.filter((status) => status === 401)).toHaveLength(2 * guesses);
    expect(await guessFrom('127.0.0.3', '127.0.0.2')).toBe(401);
  });

  it('serves partners while another client sends malformed bodies', async () => {
    let over = false;
    const answers: string[] = [];
    const sendBrokenBodies = async () => {
      while (!over) answers.push(await sendBrokenBody(url).catch(String));
    };
    const clients = Array.from({ length: 4 }, sendBrokenBodies);
    const statuses: number[] = [];
    while (statuses.length < 100 || answers.length < 100) {
      const body = { name: `Team ${statuses.length}`, season };
      statuses.push((await asPartner('post', '/teams').send(body)).status);
      statuses.push((await asPartner('get', '/teams')).status);
    }
    over = true;
    await Promise.all(clients);
    expect(statuses.filter((status) => status !== 200 && status !== 201)).toEqual([]);
    // Or by the server, if it responds before the body breaks.
    expect(answers.filter((line) => !/^HTTP\/1\.1 (400|401|429|503) /.test(line))).toEqual([]);
  });

  it('redirects HTTP to HTTPS', async () => {
    const plain = under.cluster.proxy?.plainUrl ?? '';
    const answer = await fetch(`${plain}/health/live?at=once`, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([308, `${url}/health/live?at=once`]);
  });

  it('rejects an unknown host with the error envelope', async () => {
    // The name in the TLS handshake is valid; with an unknown one there would be no connection.
    const named = new https.Agent({ ca: readFileSync(under.cluster.authority), servername: 'localhost' });
    const answer = await call('get', '/health/live').agent(named).set('Host', 'elsewhere.example.com');
    named.destroy();
    // The proxy itself responds, with a status that the operation does not have.
    expect([answer.status, (answer.body as { error: number }).error]).toEqual([404, 40400]);
  });

  describe('when servers are down', () => {
    afterEach(async () => {
      await allRun();
      await eventually('the proxy serves again', async () => (await asPartner('get', '/teams')).status === 200);
    });

    it('retries reads on another one and rejects only writes that were sent to the server that is down', async () => {
      const [first] = under.cluster.servers;
      await first?.kill();
      const reads: Response[] = [];
      const rejected: Response[] = [];
      let servedInARow = 0;
      const readAndWrite = async () => {
        const body = { name: `Late ${randomUUID()}`, season };
        const write = await asPartner('post', '/teams').send(body);
        if (write.status !== 201) rejected.push(write);
        servedInARow = write.status === 201 ? servedInARow + 1 : 0;
        reads.push(await asPartner('get', '/teams'));
      };
      // The proxy checks health four times per second. Until then it sends half of the writes to the server that is
      // down.
      const isSeen = () => readAndWrite().then(() => servedInARow >= 20);
      await eventually('no write is sent to the server that is down', isSeen, 30);
      const rejectedUntilSeen = rejected.length;
      for (let turn = 0; turn < 20; turn++) await readAndWrite();
      expect(rejected).toHaveLength(rejectedUntilSeen);
      expect(reads.map(({ status }) => status)).toEqual(reads.map(() => 200));
      for (const answer of rejected) expectError(answer, 50301);
    });

    it('responds itself, in time and with the error envelope', async () => {
      await Promise.all(under.cluster.servers.map((server) => server.kill()));
      const begun = performance.now();
      const read = await asPartner('get', '/teams');
      const write = await asPartner('post', '/teams').set('X-Request-Id', 'a-partners-own-id').send({ name: 'Late' });
      const wrongId = await asPartner('post', '/teams').set('X-Request-Id', organization.key.apiKey).send({});
      for (const answer of [read, write, wrongId]) {
        expectError(answer, 50301);
        expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
        expect(answer.headers['cache-control']).toBe('no-store');
      }
      expect(write.headers['x-request-id']).toBe('a-partners-own-id');
      expect(wrongId.text).not.toContain(organization.key.apiKey);
      expect(performance.now() - begun).toBeLessThan(10_000);
      const log = readFileSync(under.cluster.proxy?.logFile ?? '', 'utf8');
      expect(log).toContain(String(read.headers['x-request-id']));
      expect(log).not.toContain(organization.key.apiKey);
    });

    it('responds within ten seconds if all of them hang', async () => {
      under.cluster.servers.forEach((server) => server.hang());
      const begun = performance.now();
      const [read, write] = await Promise.all([asPartner('get', '/teams'), asPartner('post', '/teams').send({})]);
      under.cluster.servers.forEach((server) => server.resume());
      expectError(read, 50301);
      expectError(write, 50301);
      expect(performance.now() - begun).toBeLessThan(10_000);
    });
  });
});

/** Sends a chunked body whose second chunk has an invalid size; returns the first line of the response. */
async function sendBrokenBody(url: string): Promise<string> {
  const { host, hostname, port } = new URL(url);
  // From a separate address, whose failed authentications affect no other test.
  const from = { localAddress: '127.0.0.4', rejectUnauthorized: false };
  const socket = tls.connect({ host: hostname, port: Number(port), ...from });
  const head = [
    `POST ${api}/teams HTTP/1.1`,
    `Host: ${host}`,
    'Transfer-Encoding: chunked',
    'Content-Type: application/json',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n5\r\nhello\r\nZZ\r\n`);
  try {
    const [answer] = (await once(socket, 'data')) as [Buffer];
    return answer.toString().split('\r\n')[0] ?? '';
  } finally {
    socket.destroy();
  }
}
