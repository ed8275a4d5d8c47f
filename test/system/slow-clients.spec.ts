import { api } from '../support/organization.js';
import { RawConnection, statusesIn } from '../support/raw-http.js';
import { RunningServer } from '../support/server.js';

const head = `POST ${api}/teams HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`;

describe('slow clients', () => {
  const server = RunningServer.forTests({});

  const open = async (text: string) => {
    const connection = await RawConnection.open(server.url);
    connection.send(text);
    return connection;
  };

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
});
