import { randomUUID } from 'node:crypto';
import { unconditional } from '../../../src/access/request-context.js';
import { UsersService } from '../../../src/modules/users/users.service.js';
import { toAdmin } from '../../../src/modules/auth/tokens.service.js';
import { TestApplication } from '../../support/application.js';

const operator = { system: 'cli', ...unconditional } as const;

describe('two super admins who disable each other at once', () => {
  const application = TestApplication.forTests();

  it('do not both succeed: the other one is disabled by then', async () => {
    const users = application.get(UsersService);
    const create = async () => {
      const fields = { name: 'Robin Vale', email: `${randomUUID()}@example.com`, password: 'correct horse battery' };
      const user = toAdmin((await users.createSuperAdmin(operator, fields)).user);
      return { user, requestId: 'a request', address: '192.0.2.1', ...unconditional };
    };
    for (let round = 0; round < 5; round++) {
      const [one, other] = [await create(), await create()];
      const results = await Promise.allSettled([
        users.update(one, other.user.id, { disabled: true }),
        users.update(other, one.user.id, { disabled: true }),
      ]);
      const rejections = results.filter((result) => result.status === 'rejected');
      expect(rejections).toMatchObject([{ reason: { entry: { code: 40102 } } }]);
      const stored = await Promise.all([one, other].map(({ user }) => users.get(user.id)));
      expect(stored.filter(({ disabledAt }) => disabledAt !== undefined)).toHaveLength(1);
    }
  });
});
