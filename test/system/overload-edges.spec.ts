import { MongoClient } from 'mongodb';
import { createOrganization, api, type TestOrganization } from '../support/organization.js';
import { eventually } from '../support/processes.js';
import { type RawResponse, RawConnection, statusesIn } from '../support/raw-http.js';
import { RunningServer } from '../support/server.js';

/** At most two requests in service, one per caller. */
const bound = { MAX_REQUESTS_IN_FLIGHT: '2', CORS_ORIGINS: 'https://app.example.com' };

describe('an overloaded server', () => {
  const { server, mongod } = RunningServer.withMongodForTests(bound);
  let organization: TestOrganization;

  beforeAll(async () => {
    organization = await createOrganization(server, 'Crowded');
    await organization.call('get', '/seasons').expect(200);
  });
  afterEach(async () => {
    await mongod.failCommands();
    await eventually('served again', async () => (await organization.call('get', '/seasons')).status === 200);
  });

  const slow = (blockTimeMS: number, ...failCommands: string[]) =>
    mongod.failCommands({ failCommands, blockConnection: true, blockTimeMS });
  const head = (method: string, path: string, ...more: string[]) =>
    [
      `${method} ${api}${path} HTTP/1.1`,
      'Host: x',
      `Authorization: Bearer ${organization.key.apiKey}`,
      ...more,
      '',
      '',
    ].join('\r\n');

  it('does not crash if a queued request is rejected for its body', async () => {
    await slow(4_000, 'find', 'aggregate', 'count');
    const inService = organization.call('get', '/seasons').then(({ status }) => status);
    const connection = await RawConnection.open(server.url);
    const json = ['Content-Type: application/json', 'Transfer-Encoding: chunked'];
    connection.send(head('GET', '/teams') + head('POST', '/teams', ...json));
    await new Promise((resolve) => setTimeout(resolve, 300));
    connection.send('ZZZ\r\n');
    expect(statusesIn(await connection.transcript(8))).toEqual([503, 400]);
    expect([200, 503]).toContain(await inService);
    await server.call('get', '/health/live').expect(200);
  });

  it('keeps its limit if many bodies arrive at once', async () => {
    const team = JSON.stringify({ name: 'Hawks', season: (await organization.season())._id });
    const json = ['Content-Type: application/json', `Content-Length: ${team.length}`, 'Connection: close'];
    const connections: RawConnection[] = [];
    for (let i = 0; i < 10; i++) {
      const connection = await RawConnection.open(server.url);
      connection.send(head('POST', '/teams', ...json));
      connections.push(connection);
    }
    // Nothing shows that the server waits for a body; a request that is not yet that far is queued.
    await new Promise((resolve) => setTimeout(resolve, 700));
    await slow(250, 'insert');
    for (const connection of connections) connection.send(team);
    const answering = Promise.all(connections.map((connection) => connection.response()));
    let answers: RawResponse[] | undefined;
    void answering.then((all) => (answers = all));
    let most = 0;
    await eventually('all responses', async () => {
      most = Math.max(most, await mongod.countRunningCommands('insert', 'teams'));
      return answers !== undefined;
    });
    expect(most).toBe(1);
    const statuses = (await answering).map(({ status }) => status);
    expect(statuses.every((status) => status === 201 || status === 503)).toBe(true);
    expect(statuses.filter((status) => status === 201).length).toBeGreaterThan(2);
  });

  it('serves any number of health checks from the same machine; all share one database check', async () => {
    const client = new MongoClient(`mongodb://127.0.0.1:${mongod.port}/?directConnection=true`);
    const pings = async () => {
      const { metrics } = await client.db('admin').command({ serverStatus: 1 });
      return (metrics as { commands: { ping: { total: number } } }).commands.ping.total;
    };
    await slow(500, 'ping');
    const check = () => server.call('get', '/health/ready');
    const before = await pings();
    const flood = await Promise.all(Array.from({ length: 64 }, check));
    expect((await pings()) - before).toBe(1);
    await client.close();
    expect(flood.map(({ status }) => status)).toEqual(flood.map(() => 200));
  });
});
