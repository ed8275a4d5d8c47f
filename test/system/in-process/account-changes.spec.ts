import { randomUUID } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { ObjectId } from 'mongodb';
import { AuditTrail } from '../../../src/modules/audit/audit-trail.js';
import { unconditional } from '../../../src/access/request-context.js';
import { OrganizationsService } from '../../../src/modules/organizations/organizations.service.js';
import { type ChangedRecord, recordChanged } from '../../../src/database/operation-events.js';
import { UsersService } from '../../../src/modules/users/users.service.js';
import { toAdmin } from '../../../src/modules/auth/tokens.service.js';
import { TestApplication } from '../../support/application.js';

const operator = { system: 'cli', ...unconditional } as const;

describe('change events in this process', () => {
  let application: TestApplication;
  let organizations: OrganizationsService;
  let users: UsersService;
  let publishedIds: string[];
  /** Whether the user is stored as disabled at the time of each event. */
  let disabledAtEvent: Promise<boolean>[];

  beforeAll(async () => {
    application = await TestApplication.start();
    organizations = application.get(OrganizationsService);
    users = application.get(UsersService);
    subscribe(recordChanged.name, onChange);
  });

  afterAll(async () => {
    unsubscribe(recordChanged.name, onChange);
    await application.stop();
  });

  const onChange = (changed: unknown) => {
    const { collection, id = '' } = changed as ChangedRecord;
    if (collection !== 'users' && collection !== 'organizations') return;
    publishedIds.push(id);
    const stored = application.connection.collection('users').findOne({ _id: new ObjectId(id) });
    disabledAtEvent.push(stored.then((user) => user?.['disabledAt'] !== undefined));
  };

  beforeEach(() => {
    [publishedIds, disabledAtEvent] = [[], []];
  });

  async function createOrganization() {
    const creator = { name: 'Dana Reyes', email: `${randomUUID()}@example.com`, password: 'correct horse battery' };
    const { _id, creator: created } = await organizations.create(operator, { name: 'Hawks Club', creator });
    publishedIds = [];
    return { id: _id, userId: created?._id ?? '' };
  }

  it('are published after the commit for a user who is updated, disabled or gets a password', async () => {
    const { userId } = await createOrganization();
    await users.update(operator, userId, { disabled: true });
    expect([publishedIds, await Promise.all(disabledAtEvent)]).toEqual([[userId], [true]]);
    await users.update(operator, userId, { disabled: false });
    await users.disable(operator, userId);
    await users.resetPassword(operator, userId, 'another password');
    expect(publishedIds).toEqual(Array(4).fill(userId));
  });

  it('are published also if nothing changed or the write failed, because another server may have written', async () => {
    const { id, userId } = await createOrganization();
    await organizations.update(operator, id, {});
    await users.update(operator, userId, { disabled: false });
    await expect(users.update(operator, 'f'.repeat(24), { disabled: true })).rejects.toThrow('User not found');
    const audit = jest.spyOn(application.get(AuditTrail), 'record').mockRejectedValue(new Error('no event'));
    await expect(users.update(operator, userId, { disabled: true })).rejects.toThrow('no event');
    await expect(organizations.update(operator, id, { disabled: true })).rejects.toThrow('no event');
    audit.mockRestore();
    expect(publishedIds).toEqual([id, userId, 'f'.repeat(24), userId, id]);
    expect(await users.get(userId)).not.toHaveProperty('disabledAt');
    expect(await organizations.isInService(id)).toBe(true);
  });
});

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
