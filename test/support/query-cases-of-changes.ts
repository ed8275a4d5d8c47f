import { DatabaseService } from '../../src/database/database.service.js';
import { changeKinds } from '../../src/modules/changes/change.schema.js';
import { ChangesRepository } from '../../src/modules/changes/changes.repository.js';
import { PlayersRepository } from '../../src/modules/players/players.repository.js';
import { SchedulesRepository } from '../../src/modules/schedules/schedules.repository.js';
import { SeasonsRepository } from '../../src/modules/seasons/seasons.repository.js';
import { TeamsRepository } from '../../src/modules/teams/teams.repository.js';
import type { TestApplication } from './application.js';
import type { ManyRecords } from './many-records.js';
import { byId, type QueryCase } from './query-case.js';

/** Queries of the change feed. */
export function changesQueryCases(application: TestApplication, many: ManyRecords): QueryCase[] {
  const { scope, teams, players, schedules, season } = many;
  const database = application.get(DatabaseService);
  const changes = application.get(ChangesRepository);
  const page = { kinds: changeKinds, after: '', last: 'f~', limit: 101 };
  const byPosition = { indexes: ['changes_by_position'], documents: 101 };
  const record = ({ _id }: { _id: unknown }) => ({ _id: String(_id) });
  const texts = (ids: readonly unknown[]) => ids.slice(0, 100).map(String);
  const ofIds = { indexes: byId, documents: 100 };
  return [
    {
      name: 'the time of the feed is read',
      call: () => database.readCausally((read) => changes.findTime(read)),
      indexes: byId,
      documents: 1,
    },
    {
      name: 'the first changes of all kinds are read',
      call: () => database.readCausally((read) => changes.findRange(scope, page, read)),
      ...byPosition,
      keys: 130,
    },
    {
      name: 'the changes of two kinds after a position are read',
      call: () => {
        const rest = { ...page, kinds: ['player', 'team'] as const, after: `${'0'.repeat(14)}20` };
        return database.readCausally((read) => changes.findRange(scope, rest, read));
      },
      ...byPosition,
      keys: 120,
    },
    {
      name: 'teams of the feed are read',
      call: () =>
        database.readCausally((read) =>
          application.get(TeamsRepository).findForFeed(scope, texts(teams), read, record),
        ),
      ...ofIds,
    },
    {
      name: 'players of the feed are read',
      call: () =>
        database.readCausally((read) =>
          application.get(PlayersRepository).findForFeed(scope, texts(players), read, record),
        ),
      ...ofIds,
    },
    {
      name: 'schedules of the feed are read',
      call: () =>
        database.readCausally((read) =>
          application.get(SchedulesRepository).findForFeed(scope, texts(schedules), read, record),
        ),
      ...ofIds,
    },
    {
      name: 'seasons of the feed are read',
      call: () =>
        database.readCausally((read) =>
          application.get(SeasonsRepository).findForFeed(scope, [String(season)], read, record),
        ),
      ...ofIds,
    },
  ];
}
