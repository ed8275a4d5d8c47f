import { unconditional } from '../../src/access/request-context.js';
import { OrganizationsRepository } from '../../src/modules/organizations/organizations.repository.js';
import { SeasonsRepository } from '../../src/modules/seasons/seasons.repository.js';
import { UsageRepository } from '../../src/modules/usage/usage.repository.js';
import { UsersRepository } from '../../src/modules/users/users.repository.js';
import type { UserRecord } from '../../src/modules/users/user.schema.js';
import { newRecordId, toRecordId } from '../../src/database/record.js';
import { Transactions } from '../../src/database/transaction.js';
import { ErasureRepository, resetModels } from '../../src/modules/erasure/erasure.repository.js';
import { newScope, type TestApplication } from './application.js';
import { byId, oneById, page, query, type QueryCase } from './query-case.js';
import { type ManyRecords, secondFactor } from './many-records.js';

/** Queries of users, organizations and seasons. */
export function adminQueryCases(application: TestApplication, { scope, users, season, now }: ManyRecords): QueryCase[] {
  const userRecords = application.get(UsersRepository);
  const organizations = application.get(OrganizationsRepository);
  const transactions = application.get(Transactions);
  const seasons = application.get(SeasonsRepository);
  const organizationId = scope.organization.id;
  const scopeId = toRecordId(organizationId);
  const usage = application.get(UsageRepository);
  const enrolled = { _id: toRecordId(String(users[9])), secondFactor } as unknown as UserRecord;
  const day = Array.from({ length: 24 }, (_, hour) => new Date(now.getTime() - (23 - hour) * 3_600_000));
  const auditOfOne = { indexes: ['events_of_organization'], documents: 200 };
  const ofSeasonExternalId = { indexes: ['one_record_per_external_id'], documents: 1, counted: 1, sorts: true };
  return [
    query('a login looks up its user', { indexes: ['one_user_per_email'], documents: 1 }, () =>
      userRecords.findByEmail('user7@example.com'),
    ),
    query('the network of a login is stored', oneById, () =>
      userRecords.addRecentLogin(toRecordId(String(users[7])), { network: '192.0.2.1', at: new Date() }),
    ),
    query('a token looks up its user', oneById, () => userRecords.findById(String(users[7]))),
    query('users of an organization are listed', { indexes: ['users_of_organization'], documents: 21 }, () =>
      userRecords.findOfOrganization(organizationId, page),
    ),
    query('users are listed', { indexes: ['users_by_creation'], documents: 21 }, () => userRecords.findPage(page)),
    // Checks every user, because a part of a name has no order.
    query('users are searched', { indexes: ['users_by_creation'], documents: 151, counted: 151 }, () =>
      userRecords.findPage({ search: 'ser14', ...page }),
    ),
    query('a user is changed', oneById, () =>
      transactions.run(unconditional, (session) => userRecords.updateById(String(users[8]), { name: 'Sam' }, session)),
    ),
    query('second factors of another key are found', { indexes: ['users_by_second_factor_key'], documents: 1 }, () =>
      userRecords.findEncryptedOtherwise('new key'),
    ),
    query('a code of a second factor is used', oneById, () => userRecords.useCodesUpTo(8, enrolled)),
    query('a recovery code is used', oneById, () => userRecords.useRecoveryCode('hash', enrolled)),
    query('a second factor is encrypted again', oneById, () =>
      userRecords.updateEncryption(enrolled._id, secondFactor, { secret: 'again', keyId: 'new key' }),
    ),
    query('a list looks up the names of users', { indexes: byId, documents: 5 }, () =>
      userRecords.findNames(users.slice(0, 5).map(String)),
    ),
    query('the networks of recent logins are read', { indexes: ['users_by_recent_login'], documents: 1 }, () =>
      userRecords.findLoginNetworks(new Date(Date.now() - 60_000)),
    ),
    query('a token for a new password looks up its user', { indexes: ['users_by_password_reset'], documents: 1 }, () =>
      userRecords.findByResetToken('token'),
    ),
    query('super admins are listed', { indexes: ['users_by_role_and_creation'], documents: 21 }, () =>
      userRecords.findPage({ role: 'superAdmin', ...page }),
    ),
    query('an admin who disables another one is locked', oneById, () =>
      transactions.run(unconditional, (session) => userRecords.lockEnabled(String(users[8]), now, session)),
    ),
    query('the start looks for the first super admin', { indexes: ['users_by_role_and_creation'], documents: 1 }, () =>
      userRecords.findSuperAdmin(),
    ),
    query('an organization is looked up', oneById, () => organizations.findById(organizationId)),
    query('an organization is changed', oneById, () =>
      transactions.run(unconditional, (session) =>
        organizations.updateById(organizationId, { name: 'Hawks' }, session),
      ),
    ),
    query('a reset of a sandbox is started', oneById, () =>
      transactions.run(unconditional, (session) => organizations.startReset(organizationId, now, now, session)),
    ),
    query('a reset of a sandbox is ended', oneById, () => organizations.endReset(organizationId)),
    query('users of an erased organization are replaced in the audit', auditOfOne, () =>
      application.get(ErasureRepository).anonymizeUsers(scope),
    ),
    // Of an organization without records, so that the others stay.
    query('the records of a sandbox are deleted', { indexes: [], documents: 0 }, () =>
      application.get(ErasureRepository).deleteAll(newScope(), resetModels),
    ),
    query('records without a team are deleted', { indexes: [], documents: 0 }, () =>
      application.get(ErasureRepository).deleteWithoutTeam(newScope(), []),
    ),
    query('the erasure of an organization is started', oneById, () =>
      transactions.run(unconditional, (session) => organizations.startErasure(String(newRecordId()), session)),
    ),
    query('organizations that are being erased are found', { indexes: ['organizations_to_erase'], documents: 1 }, () =>
      organizations.findErasing(),
    ),
    query('an erased organization is deleted', oneById, () => organizations.remove(newRecordId())),
    query('organizations out of service are found', { indexes: byId, documents: 2 }, () =>
      organizations.findOutOfService([organizationId]),
    ),
    query('the names of organizations are found', { indexes: byId, documents: 1 }, () =>
      organizations.findNames([organizationId]),
    ),
    query('organizations are listed', { indexes: ['organizations_by_creation'], documents: 21 }, () =>
      organizations.findPage(page),
    ),
    query('the usage of an organization is read', { indexes: ['usage_of_organization'], documents: 48 }, () =>
      usage.findTop(day, 1, organizationId),
    ),
    query('the usage of all organizations is listed', { indexes: ['usage_expiry'], documents: 96 }, () =>
      usage.findTop(day, 10),
    ),
    query('the outcomes of requests are read', { indexes: ['usage_of_organization', '_id_'], documents: 68 }, () =>
      usage.findOutcomes(organizationId, new Date(now.getTime() - 86_400_000), { ...page, isError: true }),
    ),
    query('request counts are stored', oneById, () => {
      const outcomes = new Map([['key|listTeams|403|40306', { requests: 1, detail: '192.0.2.1' }]]);
      const count = { _id: 'stored', organizationId: scopeId, hour: now };
      return usage.store([{ ...count, requests: 2, errors: 1, errorCodes: { 40306: 1 }, outcomes }]);
    }),
    query('visible seasons are listed', { indexes: ['seasons_of_organization'], documents: 21 }, () =>
      seasons.findVisible(scope, undefined, page),
    ),
    query('the season with an external ID is listed', ofSeasonExternalId, () =>
      seasons.findVisible(scope, 'external-1', page),
    ),
    query('the idem-key of a season is looked up', { indexes: ['one_record_per_idem_key'], documents: 1 }, () =>
      seasons.findFirstResponse(scope, { scope: 'POST /x', keyHash: 'key 1', fingerprint: 'f' }),
    ),
    query('a visible season is looked up', oneById, () => seasons.findVisibleById(scope, String(season))),
    query('owners of seasons are looked up', oneById, () => seasons.findOwners([String(season)])),
    // Checks every name, because a part of a name has no order.
    query(
      'organizations are searched by name',
      { indexes: ['organizations_by_creation'], documents: 151, counted: 151 },
      () => organizations.findPage({ search: 'zation 14', ...page }),
    ),
    query('the seasons of an organization are listed', { indexes: ['seasons_of_organization'], documents: 21 }, () =>
      seasons.findAny({ organizationId, ...page }),
    ),
    query('a season is read in a transaction', oneById, () =>
      transactions.run(unconditional, (session) => seasons.findAnyById(String(season), session)),
    ),
    query('a season is changed', oneById, () =>
      transactions.run(unconditional, (session) => seasons.updateAnyById(String(season), { name: 'Fall' }, session)),
    ),
    query('all seasons are listed', { indexes: ['seasons_by_start'], documents: 21 }, () => seasons.findAny(page)),
  ];
}
