import mongoose from 'mongoose';
import { KeyMemory } from '../../dist/api-keys/key-memory.js';
import { SecretChecks } from '../../dist/api-keys/secret-checks.js';

/** Nothing is changed here, and no change can be missed. */
const unchanging = {
  isCurrent: () => true,
  follow: () => undefined,
  onChange: () => undefined,
  read: () => undefined,
};
const always = { verifyKey: () => Promise.resolve(true) };

/**
 * What one server remembers of the keys that are presented to it: the server's own classes, asked in the order in which
 * `ApiKeyAuthenticator` asks them.
 * @param secrets what checks a secret that is new; without it every secret is right at once
 */
export function keyCaches(secrets = always) {
  const memory = new KeyMemory(unchanging, unchanging, unchanging);
  const checks = new SecretChecks(secrets);
  return {
    /**
     * A key is presented.
     * @returns whether its record was read, and whether its secret was new
     * @throws ServiceError 50302 where `secrets` does
     */
    async present(keyPrefix, record) {
      const recalled = memory.recall(keyPrefix);
      const stored = recalled ?? (await memory.read(keyPrefix, () => Promise.resolve(record)));
      const verdict = await checks.judge(keyPrefix, { keyPrefix, secret: '' }, stored);
      return { isRead: recalled === undefined, isFirst: verdict === 'first' };
    },
  };
}

/** What the database holds of a key, its organization and its creator. */
export function presentRecord(keyPrefix) {
  const id = () => new mongoose.Types.ObjectId();
  return {
    _id: id(),
    keyPrefix,
    // As long as a true one, and as unlike any other.
    secretHash: `$argon2id$v=19$m=19456,t=2,p=1$${String(id())}$${String(id())}${String(id())}`.slice(0, 96),
    status: 'active',
    organization: { _id: id(), name: 'Flag Football Organization' },
    creator: { _id: id() },
  };
}
