import { type ChangeKind, changeKinds } from '../../src/modules/changes/change.schema.js';
import { ChangesRepository } from '../../src/modules/changes/changes.repository.js';
import type { TestApplication } from './application.js';
import type { ManyRecords } from './many-records.js';
import { byId, type QueryCase } from './query-case.js';

/** Queries of the change feed. */
export function changesQueryCases(application: TestApplication, many: ManyRecords): QueryCase[] {
  const { scope, teams, players, schedules, season } = many;
  const changes = application.get(ChangesRepository);
  const page = { kinds: changeKinds, after: '', last: 'f~', limit: 101 };
  const byPosition = { indexes: ['changes_by_position'], documents: 101 };
  const findRecords = (kind: ChangeKind, ids: readonly unknown[]) => {
    const rows = ids.slice(0, 100).map((id) => {
      const _id = `${kind}.${String(id)}`;
      return { _id, kind, organizationId: null, position: `f.${_id}`, changedAt: many.now };
    });
    return changes.readCausally((session) => changes.findRecords([scope.organization.id], rows, session));
  };
  const ofIds = { indexes: byId, documents: 100 };
  return [
    {
      name: 'the end of the feed is read',
      call: () => changes.readCausally((session) => changes.findEnd(session)),
      indexes: byId,
      documents: 1,
    },
    {
      name: 'the first changes of all kinds are read',
      call: () => changes.readCausally((session) => changes.findRange(scope, page, session)),
      ...byPosition,
      keys: 130,
    },
    {
      name: 'the changes of two kinds after a position are read',
      call: () => {
        const rest = { ...page, kinds: ['player', 'team'] as const, after: `${'0'.repeat(14)}20` };
        return changes.readCausally((session) => changes.findRange(scope, rest, session));
      },
      ...byPosition,
      keys: 120,
    },
    { name: 'teams of the feed are read', call: () => findRecords('team', teams), ...ofIds },
    { name: 'players of the feed are read', call: () => findRecords('player', players), ...ofIds },
    { name: 'schedules of the feed are read', call: () => findRecords('schedule', schedules), ...ofIds },
    { name: 'seasons of the feed are read', call: () => findRecords('season', [season]), ...ofIds },
  ];
}
