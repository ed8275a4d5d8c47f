import { Injectable } from '@nestjs/common';
import { Clock } from '../../config/clock.js';
import { feedCursor } from '../../config/time-windows.js';
import type { RequestContext } from '../../access/request-context.js';
import { invalidField, ServiceError } from '../../errors/service-error.js';
import { formatCursor, parseCursor } from '../../database/cursor-page.js';
import type { Session } from '../../database/transaction.js';
import {
  type Change,
  changeKinds,
  type Checkpoint,
  checkpointId,
  millisecondsOf,
  toChangeData,
} from './change.schema.js';
import type { ChangeResponse, ChangesQuery, ChangesResponse } from './changes.dto.js';
import { ChangesProjector } from './changes.projector.js';
import { ChangesRepository, type FoundRecord } from './changes.repository.js';

/** Seconds after which a reader retries while the feed is being built. */
const retryAfterSeconds = 5;

@Injectable()
export class ChangesService {
  constructor(
    private readonly changes: ChangesRepository,
    private readonly clock: Clock,
    private readonly projector: ChangesProjector,
  ) {}

  /**
   * Returns the changes after a cursor, or all records from the beginning.
   * @throws ServiceError 40001 for a cursor of another organization or of other kinds, 41001 for an old one or one from before
   * a restore or a reset, 50301 before the feed is built
   */
  list(context: RequestContext, { cursor, limit, kinds }: ChangesQuery): Promise<ChangesResponse> {
    const list = JSON.stringify([context.organization.id, '/changes', [...new Set(kinds)].sort()]);
    const start = cursor === undefined ? undefined : parsePosition(cursor, list);
    const { resets = 0 } = context.organization.sandbox ?? {};
    return this.changes.readCausally(async (session) => {
      const { position: last, built = '' } = await this.findCheckpoint(session);
      const now = millisecondsOf(last);
      const { asOf, after } = start ?? { asOf: now, after: '' };
      // The later of both clocks: a cursor must not outlive the rows of deleted records, which the database removes.
      const isTooOld = Math.max(now, this.clock.now().getTime()) - asOf > feedCursor;
      // Records that the reader has can be missing after a restore of the database or a reset of the sandbox.
      if (isTooOld || (start !== undefined && (after < built || start.resets !== resets))) {
        throw new ServiceError('cursorExpired');
      }
      const range = { kinds: kinds ?? changeKinds, after, last, limit: limit + 1 };
      const found = await this.changes.findRange(context, range, session);
      const rows = found.slice(0, limit);
      const records = await this.changes.findRecords(context, rows, session);
      const data = rows.map((row) => toChange(row, records.get(row._id)));
      const hasMore = found.length > limit;
      const next = hasMore ? `${asOf}.${rows.at(-1)?.position ?? after}` : `${now}.${last > after ? last : after}`;
      return { data, nextCursor: formatCursor(resets === 0 ? next : `${next}.${resets}`, list), hasMore };
    });
  }

  private async findCheckpoint(session: Session): Promise<Pick<Checkpoint, 'position' | 'built'>> {
    const checkpoint = await this.changes.findState(checkpointId, session);
    if (checkpoint !== null) return checkpoint;
    const message = `${this.projector.building ?? 'The change feed is being built'}; retry later.`;
    throw new ServiceError('databaseUnavailable', { message, retryAfterSeconds });
  }
}

/**
 * When the reader was last up to date or read its first page, in milliseconds, the position it has reached, and in a sandbox
 * how many resets had started or ended.
 */
const format = /^(\d{1,15})\.([0-9a-f]{16}(?:~|\.[a-zA-Z]+\.[0-9a-f]{24})?)(?:\.(\d{1,9}))?$/;

function parsePosition(cursor: string, list: string): { asOf: number; after: string; resets: number } {
  const [, asOf, after, resets = '0'] = format.exec(parseCursor(cursor, list) ?? '') ?? [];
  if (asOf !== undefined && after !== undefined) return { asOf: Number(asOf), after, resets: Number(resets) };
  throw invalidField('cursor', 'cursor must be a nextCursor of this organization, sent with the same kinds');
}

function toChange(row: Change, found: FoundRecord | undefined): ChangeResponse {
  const { response: record, isDeleted } = found ?? { isDeleted: true };
  const change = { ...toChangeData(row, isDeleted, record), changedAt: row.changedAt.toISOString() };
  return { ...change, ...(row.kind !== 'playerStatistics' && !isDeleted && { record }) };
}
