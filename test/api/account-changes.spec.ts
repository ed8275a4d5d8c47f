import { randomUUID } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { ObjectId } from 'mongodb';
import { AuditTrail } from '../../src/modules/audit/audit-trail.js';
import { unconditional } from '../../src/common/context/request-context.js';
import { OrganizationsService } from '../../src/modules/organizations/organizations.service.js';
import { type ChangedRecord, recordChanged } from '../../src/database/operations.js';
import { UsersService } from '../../src/modules/users/users.service.js';
import { TestApplication } from '../support/application.js';

const operator = { system: 'operator', ...unconditional } as const;

describe('the caches of this process', () => {
  let application: TestApplication;
  let organizations: OrganizationsService;
  let users: UsersService;
  let told: string[];
  /** What is stored of users, as a listener finds it when it is told. */
  let seen: Promise<boolean>[];

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
    told.push(id);
    const stored = application.connection.collection('users').findOne({ _id: new ObjectId(id) });
    seen.push(stored.then((user) => user?.['disabledAt'] !== undefined));
  };

  beforeEach(() => {
    [told, seen] = [[], []];
  });

  async function anOrganization() {
    const creator = { name: 'Dana Reyes', email: `${randomUUID()}@example.com`, password: 'correct horse battery' };
    const { _id, creator: created } = await organizations.create(operator, { name: 'Hawks Club', creator });
    told = [];
    return { id: _id, userId: created?._id ?? '' };
  }

  it('are told of an organization that is changed, by its id, once', async () => {
    const { id } = await anOrganization();
    await organizations.update(operator, id, { disabled: true });
    expect(told).toEqual([id]);
    await organizations.update(operator, id, { disabled: false, name: 'Foxes Club' });
    expect(told).toEqual([id, id]);
  });

  it('are told of a user who is changed, disabled by an operator, or gets a password, when that is committed', async () => {
    const { userId } = await anOrganization();
    await users.update(operator, userId, { disabled: true });
    expect([told, await Promise.all(seen)]).toEqual([[userId], [true]]);
    await users.update(operator, userId, { disabled: false });
    await users.disable(operator, userId);
    await users.resetPassword(operator, userId, 'another password');
    expect(told).toEqual(Array(4).fill(userId));
  });

  it('are told also of what changes nothing or fails here: it may be changed by another server, or written even so', async () => {
    const { id, userId } = await anOrganization();
    await organizations.update(operator, id, {});
    await users.update(operator, userId, { disabled: false });
    await expect(users.update(operator, 'f'.repeat(24), { disabled: true })).rejects.toThrow('User not found');
    const audit = jest.spyOn(application.get(AuditTrail), 'recordChange').mockRejectedValue(new Error('no event'));
    await expect(users.update(operator, userId, { disabled: true })).rejects.toThrow('no event');
    await expect(organizations.update(operator, id, { disabled: true })).rejects.toThrow('no event');
    audit.mockRestore();
    expect(told).toEqual([id, userId, 'f'.repeat(24), userId, id]);
    expect(await users.get(userId)).not.toHaveProperty('disabledAt');
    expect(await organizations.isActive(id)).toBe(true);
  });
});
