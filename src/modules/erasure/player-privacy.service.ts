import { Injectable } from '@nestjs/common';
import type { Actor, Tenant } from '../../access/request-context.js';
import { Clock } from '../../config/clock.js';
import { isDatabaseUnavailable } from '../../database/database-error.js';
import { toRecordId } from '../../database/record.js';
import { type Session, Transactions } from '../../database/transaction.js';
import { ServiceError } from '../../errors/service-error.js';
import { AuditTrail } from '../audit/audit-trail.js';
import { PlayersRepository } from '../players/players.repository.js';
import { SchedulesRepository } from '../schedules/schedules.repository.js';
import { PlayerStatisticsRepository, renamedAtOnce } from '../statistics/player-statistics.repository.js';
import type { PlayerExport } from './erasure.dto.js';
import { ErasureRepository } from './erasure.repository.js';

/** Replaces the name of an erased player. */
const erasedName = 'Deleted player';

/** Exports and erases players, deleted or not. The organization must be given if the record is already erased. */
@Injectable()
export class PlayerPrivacyService {
  constructor(
    private readonly players: PlayersRepository,
    private readonly statistics: PlayerStatisticsRepository,
    private readonly games: SchedulesRepository,
    private readonly records: ErasureRepository,
    private readonly audit: AuditTrail,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns everything that is stored about a player, and records that it was read.
   * @throws ServiceError 40403 if there is neither the player nor a row of statistics
   */
  async export(actor: Actor, id: string, organizationId?: string): Promise<PlayerExport> {
    const { organization } = await this.findOwner(id, organizationId);
    const found = await this.records.findPlayer({ organization }, id);
    if (found.player === undefined && found.statistics.length === 0) throw notFound(id);
    const event = { action: 'exportPlayer', id, organizationId: organization.id } as const;
    return this.audit.recordWith(actor, event, () => Promise.resolve(found));
  }

  /**
   * Erases a player, replaces the name in all statistics, in transactions of up to 500 rows, and finds the texts that still
   * contain it; after an interruption, a repetition continues. Jersey number, team and counters stay: they are the record of
   * the game. Returns the number of changed rows, and no `mentions` if the name was already erased, or if the search took
   * too long: the player is erased nevertheless.
   * @throws ServiceError 40403 if there is neither the player nor a row with the name
   */
  async erase(actor: Actor, id: string, organizationId?: string) {
    const eraseRecord = async (session: Session) => {
      // In the transaction, so that only one of several concurrent erasures succeeds.
      const { organization, isStored } = await this.findOwner(id, organizationId, session);
      const tenant = { organization, assertMayWrite: actor.assertMayWrite };
      const rows = await this.statistics.countNamed(tenant, id, erasedName);
      if (!isStored && rows === 0) throw notFound(id);
      const name = await this.players.erase(tenant, id, session);
      return { tenant, rows, name, renamed: await this.eraseName(tenant, id, session) };
    };
    const toChange = ({ tenant: { organization }, rows }: { tenant: Tenant; rows: number }) =>
      ({ action: 'erasePlayer', id, organizationId: organization.id, changes: { rows } }) as const;
    const { tenant, rows, name, renamed } = await this.audit.recordWith(actor, toChange, eraseRecord);
    for (let last = renamed; last === renamedAtOnce;)
      last = await this.transactions.run(tenant, (session) => this.eraseName(tenant, id, session));
    await this.records.deleteHistory(tenant, id);
    const search = name === undefined ? undefined : this.records.findMentions(tenant, name);
    const mentions = await search?.catch((error: unknown) => {
      if (!isDatabaseUnavailable(error)) throw error;
    });
    return { rows, mentions: mentions ?? undefined };
  }

  private async findOwner(id: string, organizationId?: string, session?: Session) {
    const ownedBy = organizationId === undefined ? {} : { organizationId: toRecordId(organizationId) };
    const stored = await this.players.ownerOf(id, ownedBy, session);
    const owner = stored ?? organizationId;
    if (owner === undefined) throw notFound(id);
    return { organization: { id: owner }, isStored: stored !== null };
  }

  /** Replaces the name of a player in some rows, which changes the statistics of their games. Returns the number of rows. */
  private async eraseName(tenant: Tenant, playerId: string, session: Session): Promise<number> {
    const now = this.clock.now();
    const scheduleIds = await this.statistics.renamePlayer(tenant, playerId, erasedName, now, session);
    await this.games.countStatisticsWrite(tenant, scheduleIds, now, session);
    return scheduleIds.length;
  }
}

function notFound(id: string): ServiceError {
  return new ServiceError('playerNotFound', { message: `No player has the ID ${id}` });
}
