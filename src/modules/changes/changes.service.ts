import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import type { RequestContext } from '../../common/context/request-context.js';
import { errorCatalogue } from '../../common/errors/error-catalogue.js';
import { ServiceError } from '../../common/errors/service-error.js';
import { type CausalRead, DatabaseService } from '../../database/database.service.js';
import type { FeedRecord } from '../../database/record.js';
import { PlayersService } from '../players/players.service.js';
import { SchedulesService } from '../schedules/schedules.service.js';
import { SeasonsService } from '../seasons/seasons.service.js';
import { TeamsService } from '../teams/teams.service.js';
import { type ChangeKind, changeKinds, cursorLifetime, millisecondsOf } from './change.schema.js';
import type { ChangeResponse, ChangesQuery, ChangesResponse } from './changes.dto.js';
import { type ChangeRow, ChangesRepository } from './changes.repository.js';
import { endOf, FeedCursors } from './feed-cursor.js';

/** A service whose records are in the feed. */
interface FeedSource {
  findForFeed(context: RequestContext, ids: readonly string[], read: CausalRead): Promise<FeedRecord[]>;
}

/** Seconds after which a reader retries while the feed is being built. */
const retryAfterSeconds = 5;

/** The change feed of an organization. */
@Injectable()
export class ChangesService {
  private readonly sources: Readonly<Record<ChangeKind, FeedSource>>;

  constructor(
    private readonly changes: ChangesRepository,
    private readonly database: DatabaseService,
    private readonly clock: Clock,
    seasons: SeasonsService,
    teams: TeamsService,
    players: PlayersService,
    schedules: SchedulesService,
  ) {
    this.sources = { season: seasons, team: teams, player: players, schedule: schedules, playerStatistics: schedules };
  }

  /**
   * Returns the changes after a cursor, or all records from the beginning.
   * @throws ServiceError 40001 for a cursor of another organization or of other kinds, 41001 for an old one, 50301 before
   * the feed is built and without a replica set
   */
  list(context: RequestContext, { cursor, limit, kinds }: ChangesQuery): Promise<ChangesResponse> {
    const cursors = new FeedCursors(context.organization.id, kinds);
    const start = cursor === undefined ? undefined : cursors.parse(cursor);
    return this.database.readCausally(async (read) => {
      const time = await this.findTime(read);
      const now = millisecondsOf(time);
      const asOf = start?.asOf ?? now;
      // The later of both clocks: a cursor must not outlive the rows of deleted records, which the database removes.
      if (Math.max(now, this.clock.now().getTime()) - asOf > cursorLifetime) {
        throw new ServiceError(errorCatalogue.cursorExpired);
      }
      const after = start?.position ?? '';
      const range = { kinds: kinds ?? changeKinds, after, last: endOf(time), limit: limit + 1 };
      const found = await this.changes.findRange(context, range, read);
      const rows = found.slice(0, limit);
      const hasMore = found.length > limit;
      const end = endOf(time) > after ? endOf(time) : after;
      const next = hasMore ? { asOf, position: rows.at(-1)?.position ?? end } : { asOf: now, position: end };
      return { data: await this.toChanges(context, rows, read), nextCursor: cursors.format(next), hasMore };
    });
  }

  private async findTime(read: CausalRead): Promise<string> {
    const { hasTransactions } = this.database;
    const time = hasTransactions ? await this.changes.findTime(read) : null;
    if (time !== null) return time;
    const message = hasTransactions
      ? 'The change feed is being built from the stored records; retry later.'
      : 'MongoDB is not a replica set, so there is no change feed.';
    throw new ServiceError(errorCatalogue.databaseUnavailable, { message, retryAfterSeconds });
  }

  /** Adds the current state of the records, with one query for each kind on the page. */
  private async toChanges(
    context: RequestContext,
    rows: readonly ChangeRow[],
    read: CausalRead,
  ): Promise<ChangeResponse[]> {
    const find = async (kind: ChangeKind) => {
      const ids = rows.filter((row) => row.kind === kind).map(({ _id }) => idOf(_id));
      const found = ids.length === 0 ? [] : await this.sources[kind].findForFeed(context, ids, read);
      return found.map((one): [string, FeedRecord] => [`${kind}.${one.record._id}`, one]);
    };
    const records = new Map((await Promise.all(changeKinds.map(find))).flat());
    return rows.map((row) => toChange(row, records.get(row._id)));
  }
}

function idOf(rowId: string): string {
  return rowId.slice(rowId.indexOf('.') + 1);
}

/** A record that was erased has neither `externalId` nor `teamId`. */
function toChange({ _id, kind, changedAt }: ChangeRow, source: FeedRecord | undefined): ChangeResponse {
  const { record, isDeleted } = source ?? { isDeleted: true };
  const isOwn = kind !== 'playerStatistics';
  return {
    kind,
    id: idOf(_id),
    ...(record?.externalId !== undefined && { externalId: record.externalId }),
    ...(record?.teamId !== undefined && { teamId: record.teamId }),
    ...(isOwn && record?.revision !== undefined && { revision: record.revision }),
    deleted: isDeleted,
    changedAt: changedAt.toISOString(),
    ...(isOwn && !isDeleted && { record }),
  };
}
