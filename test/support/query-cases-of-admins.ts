import { OrganizationsRepository } from '../../src/modules/organizations/organizations.repository.js';
import { SeasonsRepository } from '../../src/modules/seasons/seasons.repository.js';
import { UsageRepository } from '../../src/modules/usage/usage.repository.js';
import { UsersRepository } from '../../src/modules/users/users.repository.js';
import type { UserRecord } from '../../src/modules/users/user.schema.js';
import { newRecordId, toRecordId } from '../../src/database/record.js';
import { ErasureRepository, resetModels } from '../../src/modules/erasure/erasure.repository.js';
import { newTenant, type TestApplication } from './application.js';
import { byId, oneById, page, query, transactionsOf, type QueryCase } from './query-case.js';
import { type ManyRecords, secondFactor } from './many-records.js';

/** Queries of users, organizations and seasons. */
export function adminQueryCases(
  application: TestApplication,
  { tenant, users, keys, season, now }: ManyRecords,
): QueryCase[] {
  const userRecords = application.get(UsersRepository);
  const organizations = application.get(OrganizationsRepository);
  const within = transactionsOf(application);
  const seasons = application.get(SeasonsRepository);
  const organizationId = tenant.organization.id;
  const scopeId = toRecordId(organizationId);
  const usage = application.get(UsageRepository);
  const enrolled = { _id: toRecordId(String(users[9])), secondFactor } as unknown as UserRecord;
  const day = Array.from({ length: 24 }, (_, hour) => new Date(now.getTime() - (23 - hour) * 3_600_000));
  const auditOfOne = { indexes: ['events_of_organization'], documents: 200 };
  const ofSeasonExternalId = { indexes: ['one_record_per_external_id'], documents: 1, counted: 1, sorts: true };
  return [
    query({ indexes: ['one_user_per_email'], documents: 1 }, () => userRecords.findByEmail('user7@example.com')),
    query(oneById, () =>
      userRecords.addRecentLogin(toRecordId(String(users[7])), { network: '192.0.2.1', at: new Date() }),
    ),
    query(oneById, () => userRecords.findById(String(users[7]))),
    query({ indexes: ['users_of_organization'], documents: 21 }, () =>
      userRecords.findPage({ ...page, organizationId }),
    ),
    query({ indexes: ['users_by_creation'], documents: 21 }, () => userRecords.findPage(page)),
    // Checks every user, because a part of a name has no order.
    query({ indexes: ['users_by_creation'], documents: 151, counted: 151 }, () =>
      userRecords.findPage({ search: 'ser14', ...page }),
    ),
    within(oneById, (session) => userRecords.updateById(String(users[8]), { name: 'Sam' }, session)),
    query({ indexes: ['users_by_second_factor_key'], documents: 1 }, () =>
      userRecords.findEncryptedOtherwise('new key'),
    ),
    query(oneById, () => userRecords.useCodesUpTo(8, enrolled)),
    query(oneById, () => userRecords.useRecoveryCode('hash', enrolled)),
    query(oneById, () =>
      userRecords.updateEncryption(enrolled._id, secondFactor, { secret: 'again', keyId: 'new key' }),
    ),
    query({ indexes: byId, documents: 5 }, () => userRecords.findNames(users.slice(0, 5).map(String))),
    query({ indexes: ['users_by_recent_login'], documents: 1 }, () =>
      userRecords.findLoginNetworks(new Date(Date.now() - 60_000)),
    ),
    query({ indexes: ['users_by_password_reset'], documents: 1 }, () => userRecords.findByResetToken('token')),
    query({ indexes: ['users_by_role_and_creation'], documents: 21 }, () =>
      userRecords.findPage({ role: 'superAdmin', ...page }),
    ),
    within(oneById, (session) => userRecords.lockEnabled(String(users[8]), now, session)),
    query({ indexes: ['users_by_role_and_creation'], documents: 1 }, () => userRecords.findSuperAdmin()),
    query(oneById, () => organizations.findById(organizationId)),
    within(oneById, (session) => organizations.updateById(organizationId, { name: 'Hawks' }, session)),
    within(oneById, (session) => organizations.startReset(organizationId, now, now, session)),
    query(oneById, () => organizations.endReset(organizationId)),
    query(auditOfOne, () => application.get(ErasureRepository).anonymizeEvents(tenant)),
    // Of an organization without records, so that the others stay.
    query({ indexes: [], documents: 0 }, () => application.get(ErasureRepository).deleteAll(newTenant(), resetModels)),
    query({ indexes: [], documents: 0 }, () => application.get(ErasureRepository).count(newTenant(), resetModels)),
    query(oneById, () => organizations.setErasureTotal(newRecordId(), 2)),
    query(oneById, () => organizations.countErased(newRecordId(), 1)),
    within(oneById, (session) => organizations.startErasure(String(newRecordId()), session)),
    query({ indexes: ['organizations_to_erase'], documents: 1 }, () => organizations.findErasing()),
    query(oneById, () => organizations.remove(newRecordId())),
    query({ indexes: byId, documents: 2 }, () => organizations.findOutOfService([organizationId])),
    query({ indexes: byId, documents: 1 }, () => organizations.findNames([organizationId])),
    query({ indexes: ['organizations_by_creation'], documents: 21 }, () => organizations.findPage(page)),
    query({ indexes: ['usage_of_organization'], documents: 48 }, () => usage.findTop(day, 1, organizationId)),
    query({ indexes: ['usage_expiry'], documents: 96 }, () => usage.findTop(day, 10)),
    query({ indexes: ['usage_of_organization'], documents: 48 }, () =>
      usage.findHoursOfKey(organizationId, day, String(keys[0])),
    ),
    query({ indexes: ['usage_of_organization', '_id_'], documents: 68 }, () =>
      usage.findOutcomes(organizationId, new Date(now.getTime() - 86_400_000), { ...page, isError: true }),
    ),
    query(oneById, () => {
      const outcomes = new Map([['key|listTeams|403|40306', { requests: 1, detail: '192.0.2.1' }]]);
      const count = { _id: 'stored', organizationId: scopeId, hour: now };
      return usage.store([{ ...count, requests: 2, errors: 1, errorCodes: { 40306: 1 }, outcomes }]);
    }),
    query({ indexes: ['seasons_of_organization'], documents: 21 }, () => seasons.findVisible(tenant, undefined, page)),
    query(ofSeasonExternalId, () => seasons.findVisible(tenant, 'external-1', page)),
    query({ indexes: ['one_record_per_idem_key'], documents: 1 }, () =>
      seasons.findFirstResponse(tenant, { route: 'POST /x', keyHash: 'key 1', fingerprint: 'f' }),
    ),
    query(oneById, () => seasons.findVisibleById(tenant, String(season))),
    query(oneById, () => seasons.findOwners([String(season)])),
    // Checks every name, because a part of a name has no order.
    query({ indexes: ['organizations_by_creation'], documents: 151, counted: 151 }, () =>
      organizations.findPage({ search: 'zation 14', ...page }),
    ),
    query({ indexes: ['seasons_of_organization'], documents: 21 }, () => seasons.findAny({ organizationId, ...page })),
    within(oneById, (session) => seasons.findAnyById(String(season), session)),
    within(oneById, (session) => seasons.updateAnyById(String(season), { name: 'Fall' }, session)),
    query({ indexes: ['seasons_by_start'], documents: 21 }, () => seasons.findAny(page)),
  ];
}
