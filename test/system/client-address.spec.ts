import { Agent } from 'node:http';
import { api } from '../support/organization.js';
import { RunningServer } from '../support/server.js';

const allowed = 3;

/** A number of proxies: `login-limits`. */
describe('with a list of proxies in TRUST_PROXY', () => {
  const server = RunningServer.forTests({
    TRUST_PROXY: '127.0.0.1, 10.0.0.0/8, 2001:db8::/32',
    AUTH_FAILURES_PER_MINUTE: String(allowed),
  });

  it('uses the address added by the proxies, not the forged ones', async () => {
    const fail = (client: string, forged: string) =>
      server.call('get', `${api}/teams`).set('X-Forwarded-For', `${forged}, ${client}, 10.1.1.1, 10.1.1.2`);
    for (let failure = 0; failure < allowed; failure++) await fail('198.51.100.1', `203.0.113.${failure}`).expect(401);
    await fail('198.51.100.1', '203.0.113.99').expect(429);
    await fail('198.51.100.2', '198.51.100.1').expect(401);
    await fail('198.51.100.2', '127.0.0.1, 10.1.1.9').expect(401);
  });

  it('a forged address of a client outside of it does not bypass the limit of failed authentications', async () => {
    const outside = new Agent({ localAddress: '127.0.0.2' });
    const headers = (attempt: number) => ({
      'X-Forwarded-For': `198.51.100.${attempt}, 10.1.1.1`,
      'X-Real-IP': `198.51.100.${attempt}`,
      Forwarded: `for=198.51.100.${attempt}`,
      'X-Client-IP': `198.51.100.${attempt}`,
    });
    const statuses: number[] = [];
    for (let attempt = 0; attempt < allowed + 2; attempt++) {
      const call = server.call('get', `${api}/teams`).agent(outside);
      statuses.push((await call.set(headers(10 + attempt))).status);
    }
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
  });
});
