import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditEvent } from '../support/audit.js';
import type { Refusal } from '../support/expectations.js';
import { nobody } from '../support/http-routes.js';
import { OwnMongod } from '../support/own-mongod.js';
import { eventually } from '../support/processes.js';
import { RawConnection } from '../support/raw-http.js';
import { RunningServer, superAdmin } from '../support/server.js';

jest.setTimeout(60_000);

interface LogLine {
  level: string;
  msg: string;
  requestId?: string;
  event?: AuditEvent;
  reason?: string;
}

describe('a refusal that cannot be recorded', () => {
  let mongod: OwnMongod;
  let server: RunningServer;

  beforeAll(async () => {
    mongod = await OwnMongod.start();
    server = await RunningServer.start({ MONGODB_URI: mongod.uri });
  });
  afterAll(async () => {
    try {
      await server.stop();
    } finally {
      await mongod.remove();
    }
  });

  /** Sends the beginning of a request, and waits until the server knows whose it is. */
  const begin = async (requestId: string): Promise<RawConnection> => {
    const token = await server.login(superAdmin.email, superAdmin.password);
    const database = await server.database();
    await database.command({ profile: 2 });
    const connection = await RawConnection.open(server.url);
    const lines = [
      `PUT /schedules/${nobody}/player-statistics HTTP/1.1`,
      'Host: test',
      `Authorization: Bearer ${token}`,
      `X-Request-Id: ${requestId}`,
      'Content-Type: application/json',
      'Content-Length: 4',
      'Connection: close',
    ];
    connection.send(`${lines.join('\r\n')}\r\n\r\n`);
    const identified = { op: 'query', ns: /\.users$/ };
    await eventually(
      'the user is read',
      async () => (await database.collection('system.profile').countDocuments(identified)) > 0,
    );
    await database.command({ profile: 0 });
    await database.collection('system.profile').drop();
    await sleep(300); // for the way of the database's answer
    return connection;
  };

  it.each(['is gone', 'hangs'])(
    'since the database %s is answered all the same, and stands in the log',
    async (how) => {
      const id = `the-database-${how.replace(' ', '-')}`;
      const connection = await begin(id);
      const isGone = how === 'is gone';
      if (isGone) await mongod.kill();
      else mongod.hang();
      try {
        connection.send('{"a:');
        const { status, body } = await connection.answer();
        expect({ status, ...(JSON.parse(body) as Refusal) }).toMatchObject({ status: 400, error: 40000, traceId: id });
        const told = () =>
          server.log.split('\n').filter((line) => line.includes('could not be recorded') && line.includes(id));
        await eventually('the log has it', () => told().length > 0);
        expect(told().map((line) => JSON.parse(line) as LogLine)).toMatchObject([
          {
            level: 'warn',
            requestId: id,
            event: {
              action: 'replacePlayerStatistics',
              outcome: 'refused',
              error: 40000,
              actor: { kind: 'user', email: superAdmin.email },
              target: { kind: 'schedule', _id: nobody },
              address: '127.0.0.1',
              requestId: id,
            },
          },
        ]);
      } finally {
        if (isGone) await mongod.begin();
        else mongod.goOn();
      }
      await eventually('ready', async () => (await server.call('get', '/health/ready')).status === 200, 20);
    },
  );
});
