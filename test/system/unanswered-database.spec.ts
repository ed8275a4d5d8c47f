import { createHmac } from 'node:crypto';
import request from 'supertest';
import { expectError } from '../support/expectations.js';
import { adminRoutes, openRoutes, publicRoutes } from '../support/http-routes.js';
import { logLines } from '../support/preload.js';
import { MongodProcess } from '../support/mongod-process.js';
import { eventuallyPasses } from '../support/processes.js';
import { withStartingServer } from '../support/starting-server.js';

jest.setTimeout(90_000);

const jwtSecret = 'the secret of the tokens in these tests';
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token with a valid signature. */
function signedToken(): string {
  const now = Math.floor(Date.now() / 1_000);
  const claims = { sub: '6650f1f77bcf86cd79943911', generation: 0, sid: 'a-session', iat: now, exp: now + 3_600 };
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`;
  return `${signed}.${createHmac('sha256', jwtSecret).update(signed).digest('base64url')}`;
}

/** Bodies with which a request reaches the database. */
const bodies: Readonly<Record<string, object>> = {
  '/auth/login': { email: 'dana@example.com', password: 'a password for tests' },
  '/auth/password-reset': { token: 'x'.repeat(43), newPassword: 'a password for tests' },
};

const readyMessage = async (url: string) =>
  ((await request(url).get('/health/ready').expect(503)).body as { message: string }).message;

describe('a server that cannot use its database says why, at the start and in readiness, as long as that lasts', () => {
  const mongod = MongodProcess.forTests();

  it('until it has answered once, every route that needs it responds 503, and none 500; if it is another replica set', async () => {
    const MONGODB_URI = mongod.uri.replace('replicaSet=own', 'replicaSet=nope');
    const reason = `127.0.0.1:${mongod.port} reports own, MONGODB_URI says nope`;
    await mongod.kill();
    const variables = { MONGODB_URI, JWT_SECRET: jwtSecret, RATE_LIMIT_PER_MINUTE: '100000' };
    await withStartingServer(variables, async (url, server) => {
      const token = signedToken();
      const key = `ffk_live_${'a'.repeat(50)}`;
      const all = [
        ...publicRoutes.map((route) => ({ ...route, path: `/v1/public-api${route.path}`, credential: key })),
        ...adminRoutes.map((route) => ({ ...route, credential: token })),
        ...openRoutes.map((route) => ({ ...route, credential: undefined })),
      ];
      const statuses: Record<string, number> = {};
      for (const { method, path, credential } of all) {
        const agent = request(url);
        const call = agent[method](path).ok(() => true);
        if (credential !== undefined) void call.set('Authorization', `Bearer ${credential}`);
        if (path === '/auth/refresh')
          void call.set({ Cookie: `__Host-token=${token}`, 'Sec-Fetch-Site': 'same-origin' });
        const response = await (method === 'get' ? call : call.send(bodies[path] ?? {}));
        statuses[`${method} ${path}`] = response.status;
        if (response.status === 503) expectError(response, 50301);
      }
      const others = Object.entries(statuses).filter(([, status]) => status !== 503);
      expect(others.filter(([, status]) => status >= 500)).toEqual([]);
      const open = ['post /auth/login', 'post /auth/password-reset', 'post /auth/refresh'];
      expect(open.map((route) => statuses[route])).toEqual(open.map(() => 503));
      expect(adminRoutes.map(({ method, path }) => statuses[`${method} ${path}`])).toEqual(adminRoutes.map(() => 503));
      expect(logLines(server.log, { level: 'error' })).toEqual([]);

      await mongod.start();
      await server.waitForLog(new RegExp(`MongoDB is unavailable: ${reason}; retrying`));
      for (let turn = 0; turn < 2; turn++) {
        await eventuallyPasses(async () => expect(await readyMessage(url)).toContain(`unreachable (${reason});`));
        await server.waitForLog(new RegExp(`(${reason}[^]*){${turn + 1}}`));
      }
    });
  });

  it('if the database rejects the password, which is never named', async () => {
    await mongod.kill();
    await mongod.startWithAccessControl();
    try {
      const MONGODB_URI = mongod.uri
        .replace('mongodb://', 'mongodb://dana:hunter2@')
        .replace('?', '?authSource=admin&');
      const reason = 'MongoDB rejects the user or password of MONGODB_URI';
      await withStartingServer({ MONGODB_URI }, async (url, server) => {
        await server.waitForLog(new RegExp(`(MongoDB is unavailable: ${reason}; retrying[^]*){2}`), 40_000);
        expect(await readyMessage(url)).toContain(`The database is unreachable (${reason});`);
        expect(server.log).not.toContain('hunter2');
        expect(server.log).not.toContain('MongoDB is unreachable; the driver reconnects');
      });
    } finally {
      await mongod.kill();
      await mongod.start();
    }
  });
});
