import { readFileSync } from 'node:fs';
import path from 'node:path';
import { load } from 'js-yaml';
import { MongoClient } from 'mongodb';
import request from 'supertest';
import { database, MongodProcess } from '../support/mongod-process.js';
import { eventually } from '../support/processes.js';
import { ServerProcess } from '../support/server-process.js';
import { superAdmin } from '../support/server.js';

/** Returns the argument of a documented command, which YAML can read, for the database of the test. */
function documented(command: 'createRole' | 'createUser'): Record<string, unknown> {
  const guide = readFileSync(path.resolve(__dirname, '../../docs/operators/install.md'), 'utf8');
  const [, argument = ''] = new RegExp(`db\\.${command}\\((.*?)\\);\n`, 's').exec(guide) ?? [];
  return load(argument.replaceAll('flagfootball', database)) as Record<string, unknown>;
}

describe('a database user with the documented rights', () => {
  const mongod = MongodProcess.forTests();

  async function createUser(): Promise<string> {
    const client = await new MongoClient(mongod.uri).connect();
    const { role, ...privileges } = documented('createRole');
    const { user, ...login } = documented('createUser');
    await client.db().command({ createRole: role, ...privileges });
    await client.db().command({ createUser: user, ...login });
    await client.close();
    return mongod.uri.replace('//', `//${String(user)}:${encodeURIComponent(String(login['pwd']))}@`);
  }

  it('lets the server create indexes, change a retention period, write and follow changes', async () => {
    const MONGODB_URI = await createUser();
    await mongod.stop();
    await mongod.startWithAccessControl();
    const [SUPER_ADMIN_EMAIL, SUPER_ADMIN_PASSWORD] = [superAdmin.email, superAdmin.password];

    for (const DELETED_PLAYER_RETENTION_DAYS of ['30', '40']) {
      const variables = { MONGODB_URI, SUPER_ADMIN_EMAIL, SUPER_ADMIN_PASSWORD, DELETED_PLAYER_RETENTION_DAYS };
      const server = await ServerProcess.spawn(variables);
      const url = await server.waitUntilReady();
      await eventually('it follows changes', async () => {
        const { status, text } = await request(url).get('/health/ready');
        return status === 200 && !text.includes('degraded');
      });
      const login = await request(url).post('/auth/login').send(superAdmin);
      await server.remove();
      expect(login.status).toBe(200);
      expect(server.log).not.toMatch(/not authorized|requires authentication/);
    }
  });
});
