import { HistoryRepository } from '../../src/modules/history/history.repository.js';
import type { TestApplication } from './application.js';
import type { ManyRecords } from './many-records.js';
import { byId, oneById, query, type QueryCase } from './query-case.js';

/** Queries of the history of records. */
export function historyQueryCases(
  application: TestApplication,
  { tenant, teams, players, schedules, season }: ManyRecords,
): QueryCase[] {
  const history = application.get(HistoryRepository);
  const team = { kind: 'team', id: String(teams[0]) } as const;
  const page = { indexes: byId, documents: 21, keys: 22 };
  return [
    query(oneById, () => history.exists(tenant, team)),
    query(oneById, () => history.exists(tenant, { kind: 'player', id: String(players[0]), teamId: String(teams[0]) })),
    query(oneById, () => history.exists(tenant, { kind: 'schedule', id: String(schedules[0]) })),
    query(oneById, () => history.exists(tenant, { kind: 'season', id: String(season) })),
    query(page, () => history.findNewest(tenant, team, 21)),
    query(page, () => history.findNewest(tenant, team, 21, 400)),
    query({ indexes: byId, documents: 300, keys: 301 }, () =>
      history.findValues(tenant, team, 301, ['name', 'logoUrl']),
    ),
  ];
}
