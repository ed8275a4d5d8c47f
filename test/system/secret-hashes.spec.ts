import { createOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';

/** The servers of test/api hash with cheaper parameters. */
it('stores passwords and API keys only as argon2id hashes with 19 MiB, 2 passes and 1 lane', async () => {
  const server = await RunningServer.start();
  try {
    const { creator, key } = await createOrganization(server);
    const database = await server.database();
    const user = await database.collection('users').findOne({ email: creator.email });
    const apiKey = await database.collection('apiKeys').findOne({ keyPrefix: key.keyPrefix });
    const hash = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22,}\$[A-Za-z0-9+/]{43,}$/;
    for (const [record, secret] of [
      [user, creator.password],
      [apiKey, key.apiKey.slice(key.keyPrefix.length)],
    ] as const) {
      const hashes = Object.values(record ?? {}).filter((value) => String(value).startsWith('$argon2'));
      expect(hashes).toEqual([expect.stringMatching(hash)]);
      expect(JSON.stringify(record)).not.toContain(secret);
    }
  } finally {
    await server.stop();
  }
});
