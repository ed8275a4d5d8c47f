import { setTimeout as sleep } from 'node:timers/promises';
import { SecretHasher } from '../../../src/access/secret-hasher.js';
import { expectError } from '../../support/expectations.js';
import { InProcessServer } from '../../support/in-process-server.js';
import { createOrganization } from '../../support/organization.js';

describe('a request with a key whose secret is being verified for the first time', () => {
  let own: InProcessServer;

  beforeAll(async () => {
    own = await InProcessServer.start();
  });
  afterAll(() => own.stop());

  it('writes nothing if the key is revoked during the verification', async () => {
    const organization = await createOrganization(own.server);
    const season = await organization.season();
    const revoke = () => own.server.asSuperAdmin('delete', `/api-keys/${organization.key.id}`).expect(200);
    jest.spyOn(own.get(SecretHasher), 'verifyKey').mockImplementationOnce(async () => {
      await revoke();
      // Longer than 300 ms, after which access is checked again: a first use waits for argon2 when many keys arrive at
      // once.
      await sleep(350);
      return true;
    });
    const create = await organization.call('post', '/teams').send({ name: 'Hawks', season: season._id });
    expectError(create, 40101);
    expect(await (await own.server.database()).collection('teams').countDocuments()).toBe(0);
  });
});
