import { type ChangeKind, changeKinds } from '../../src/modules/changes/change.schema.js';
import { ChangesRepository } from '../../src/modules/changes/changes.repository.js';
import type { TestApplication } from './application.js';
import type { ManyRecords } from './many-records.js';
import { byId, oneById, query, type QueryCase } from './query-case.js';

/** Queries of the change feed. */
export function changesQueryCases(application: TestApplication, many: ManyRecords): QueryCase[] {
  const { tenant, teams, players, schedules, season } = many;
  const changes = application.get(ChangesRepository);
  const page = { kinds: changeKinds, after: '', last: 'f~', limit: 101 };
  const byPosition = { indexes: ['changes_by_position'], documents: 101 };
  const findRecords = (kind: ChangeKind, ids: readonly unknown[]) => {
    const rows = ids.slice(0, 100).map((id) => {
      const _id = `${kind}.${String(id)}`;
      return { _id, kind, organizationId: null, position: `f.${_id}`, changedAt: many.now };
    });
    return changes.readCausally((session) => changes.findRecords(tenant, rows, session));
  };
  const ofIds = { indexes: byId, documents: 100 };
  return [
    query(oneById, () => changes.readCausally((session) => changes.findEnd(session))),
    query({ ...byPosition, keys: 130 }, () =>
      changes.readCausally((session) => changes.findRange(tenant, page, session)),
    ),
    query({ ...byPosition, keys: 120 }, () => {
      const rest = { ...page, kinds: ['player', 'team'] as const, after: `${'0'.repeat(14)}20` };
      return changes.readCausally((session) => changes.findRange(tenant, rest, session));
    }),
    query({ indexes: ['changes_by_creation'], documents: 101, keys: 130 }, () => {
      const created = { ...page, by: 'created', after: `${'0'.repeat(14)}20` } as const;
      return changes.readCausally((session) => changes.findRange(tenant, created, session));
    }),
    query({ indexes: ['latest_changes'], documents: 0, keys: 101 }, () =>
      changes.readCausally((session) => changes.findLatest(page, session)),
    ),
    query(oneById, () => changes.saveDispatched('0')),
    query(ofIds, () => findRecords('team', teams)),
    query(ofIds, () => findRecords('player', players)),
    query(ofIds, () => findRecords('schedule', schedules)),
    query(ofIds, () => findRecords('season', [season])),
  ];
}
