import { createOrganization, api, type TestOrganization } from '../support/organization.js';
import { RawConnection, statusesIn } from '../support/raw-http.js';
import { RunningServer } from '../support/server.js';

const head = `POST ${api}/teams HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`;

describe('slow clients', () => {
  let server: RunningServer;
  let organization: TestOrganization;

  beforeAll(async () => {
    server = await RunningServer.start();
    organization = await createOrganization(server);
  });
  afterAll(() => server.stop());

  const open = async (text: string) => {
    const connection = await RawConnection.open(server.url);
    connection.send(text);
    return connection;
  };

  it('do not block others: 300 incomplete requests are open', async () => {
    const withKey = `${head}Authorization: Bearer ${organization.key.apiKey}\r\n`;
    const halves = [
      head,
      'GET',
      '',
      `${withKey}Content-Length: 90\r\n\r\n{"name":`,
      `${withKey}Transfer-Encoding: chunked\r\n\r\n`,
    ];
    const connections = await Promise.all(Array.from({ length: 300 }, (_, index) => open(halves[index % 5] ?? '')));
    await server.call('get', '/health/ready').expect(200);
    await organization.call('get', '/teams').expect(200);
    await organization.team();
    for (const connection of connections) connection.close();
    await organization.call('get', '/teams').expect(200);
  });

  it('are rejected and disconnected if their headers are not complete within 10 s', async () => {
    const connections = await Promise.all([open(''), open('GET'), open(head)]);
    const dripping = setInterval(() => connections[2].send('X-A: a\r\n'), 500);
    const transcripts = await Promise.all(connections.map((connection) => connection.transcript(15)));
    clearInterval(dripping);
    for (const transcript of transcripts) {
      expect(statusesIn(transcript)).toEqual([400]);
      expect(transcript).toContain('The request was not sent in time');
    }
  });

  it('get the keep-alive timeout in a header', async () => {
    const connection = await open('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
    await connection.receives('Keep-Alive: timeout=65\r\n');
    connection.close();
  });
});
