import { setTimeout as sleep } from 'node:timers/promises';
import { SecretHasher } from '../../src/common/secrets/secret-hasher.js';
import { expectError } from '../support/expectations.js';
import { InProcessServer } from '../support/in-process-server.js';
import { createOrganization } from '../support/organization.js';

describe('a key that is used for the first time', () => {
  let own: InProcessServer;

  beforeAll(async () => {
    own = await InProcessServer.start();
  });
  afterAll(() => own.stop());

  it('writes nothing if it is revoked while its secret is being checked', async () => {
    const organization = await createOrganization(own.server);
    const season = await organization.season();
    const revoke = () => own.server.asSuperAdmin('delete', `/api-keys/${organization.key.id}`).expect(200);
    jest.spyOn(own.get(SecretHasher), 'verifyKey').mockImplementationOnce(async () => {
      await revoke();
      // Longer than an authentication counts: argon2 makes a first use wait for seconds when many keys come at once.
      await sleep(350);
      return true;
    });
    const create = await organization.call('post', '/teams').send({ name: 'Hawks', season: season._id });
    expectError(create, 40101);
    expect(await (await own.server.database()).collection('teams').countDocuments()).toBe(0);
  });
});
