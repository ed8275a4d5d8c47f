import { unconditional } from '../../src/common/context/request-context.js';
import { OrganizationsRepository } from '../../src/modules/organizations/organizations.repository.js';
import { SeasonsRepository } from '../../src/modules/seasons/seasons.repository.js';
import { UsageRepository } from '../../src/modules/usage/usage.repository.js';
import { UsersRepository } from '../../src/modules/users/users.repository.js';
import { toRecordId } from '../../src/database/record.js';
import { Transactions } from '../../src/database/transaction.js';
import type { TestApplication } from './application.js';
import { byId, type QueryCase, page } from './query-case.js';
import type { ManyRecords } from './many-records.js';

/** Queries of users, organizations and seasons. */
export function adminQueryCases(application: TestApplication, { scope, users, season, now }: ManyRecords): QueryCase[] {
  const userRecords = application.get(UsersRepository);
  const organizations = application.get(OrganizationsRepository);
  const transactions = application.get(Transactions);
  const seasons = application.get(SeasonsRepository);
  const organizationId = scope.organization.id;
  const scopeId = toRecordId(organizationId);
  const usage = application.get(UsageRepository);
  const day = Array.from({ length: 24 }, (_, hour) => new Date(now.getTime() - (23 - hour) * 3_600_000));
  return [
    {
      name: 'a login looks up its user',
      call: () => userRecords.findByEmail('user7@example.com'),
      indexes: ['one_user_per_email'],
      documents: 1,
    },
    {
      name: 'the network of a login is stored',
      call: () => userRecords.addRecentLogin(toRecordId(String(users[7])), { network: '192.0.2.1', at: new Date() }),
      indexes: byId,
      documents: 1,
    },
    {
      name: 'a token looks up its user',
      call: () => userRecords.findById(String(users[7])),
      indexes: byId,
      documents: 1,
    },
    {
      name: 'users of an organization are listed',
      call: () => userRecords.findOfOrganization(organizationId, page),
      indexes: ['users_of_organization'],
      documents: 21,
    },
    {
      name: 'a user is changed',
      call: () =>
        transactions.run(unconditional, (session) =>
          userRecords.updateById(String(users[8]), { name: 'Sam' }, session),
        ),
      indexes: byId,
      documents: 1,
    },
    {
      name: 'a list looks up the names of users',
      call: () => userRecords.findNames(users.slice(0, 5).map(String)),
      indexes: byId,
      documents: 5,
    },
    {
      name: 'the start looks for the first super admin',
      call: () => userRecords.findFirstWithRole('superAdmin'),
      indexes: ['users_by_role'],
      documents: 1,
    },
    {
      name: 'an organization is looked up',
      call: () => organizations.findById(organizationId),
      indexes: byId,
      documents: 1,
    },
    {
      name: 'an organization is changed',
      call: () =>
        transactions.run(unconditional, (session) =>
          organizations.updateById(organizationId, { name: 'Hawks' }, session),
        ),
      indexes: byId,
      documents: 1,
    },
    {
      name: 'organizations are listed',
      call: () => organizations.findPage(page),
      indexes: ['organizations_by_creation'],
      documents: 21,
    },
    {
      name: 'the usage of an organization is read',
      call: () => usage.findTop(day, 1, organizationId),
      indexes: ['usage_of_organization'],
      documents: 48,
    },
    {
      name: 'the usage of all organizations is listed',
      call: () => usage.findTop(day, 10),
      indexes: ['usage_expiry'],
      documents: 96,
    },
    {
      name: 'request counts are stored',
      call: () => usage.store([{ _id: 'stored', organizationId: scopeId, hour: now, requests: 2, errors: 1 }]),
      indexes: byId,
      documents: 1,
    },
    {
      name: 'visible seasons are listed',
      call: () => seasons.findVisible(scope, page),
      indexes: ['seasons_of_organization'],
      documents: 21,
    },
    {
      name: 'owners of seasons are looked up',
      call: () => seasons.findOwners([String(season)]),
      indexes: byId,
      documents: 1,
    },
    {
      name: 'organizations are searched by name',
      call: () => organizations.findPage({ search: 'zation 14', ...page }),
      indexes: ['organizations_by_creation'],
      // Checks every name, because a part of a name has no order.
      documents: 151,
      counted: 151,
    },
    {
      name: 'the seasons of an organization are listed',
      call: () => seasons.findAll({ organizationId, ...page }),
      indexes: ['seasons_of_organization'],
      documents: 21,
    },
    {
      name: 'a season is read in a transaction',
      call: () => transactions.run(unconditional, (session) => seasons.findById(String(season), session)),
      indexes: byId,
      documents: 1,
    },
    {
      name: 'a season is changed',
      call: () =>
        transactions.run(unconditional, (session) => seasons.updateById(String(season), { name: 'Fall' }, session)),
      indexes: byId,
      documents: 1,
    },
    { name: 'all seasons are listed', call: () => seasons.findAll(page), indexes: ['seasons_by_start'], documents: 21 },
    {
      name: 'the owner of a season is looked up',
      call: () => seasons.findOwners([String(season)]),
      indexes: byId,
      documents: 1,
    },
  ];
}
