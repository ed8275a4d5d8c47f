import { RequestCounter } from '../rate-limit/request-counter.js';
import { LoginLine } from './login-line.js';
import { PacedTurns } from './paced-turns.js';

const client = { group: '198.51.100.1', name: 'an email' };
const elsewhere = { ...client, group: '198.51.100.2' };

let line: LoginLine;

beforeEach(() => {
  const counter = new RequestCounter({ warn: () => undefined, info: () => undefined });
  line = new LoginLine(counter, new PacedTurns({ milliseconds: 1, waiting: 3 }));
});

describe('LoginLine', () => {
  it('knows where an email was logged in to, and asking makes no other place known', async () => {
    await line.welcome(client, false);
    for (let time = 0; time < 3; time++) {
      expect([await line.isKnown(client), await line.isKnown(elsewhere)]).toEqual([true, false]);
    }
  });

  it('goes on knowing it after however many more logins', async () => {
    for (let time = 0; time < 5; time++) {
      await line.welcome(client, false);
      expect(await line.isKnown(client)).toBe(true);
    }
  });

  it('counts an attempt that comes to it until it was right: right ones come without end, other ones ten times', async () => {
    for (let time = 0; time < 12; time++) {
      await line.wait(client);
      await line.welcome(client, true);
    }
    for (let time = 0; time < 10; time++) await line.wait(client);
    await expect(line.wait(client)).rejects.toMatchObject({ entry: { code: 42902 }, retryAfterSeconds: 900 });
    await line.wait(elsewhere);
  });

  it('says when those who wait are through to who is sent away', async () => {
    const counter = new RequestCounter({ warn: () => undefined, info: () => undefined });
    const slow = new LoginLine(counter, new PacedTurns({ milliseconds: 700, waiting: 2 }));
    const crowd = Array.from({ length: 3 }, () => slow.wait(client));
    await expect(slow.wait(client)).rejects.toMatchObject({ entry: { code: 42902 }, retryAfterSeconds: 2 });
    await Promise.all(crowd);
  });
});
