import { Injectable } from '@nestjs/common';
import type { Actor } from '../../access/request-context.js';
import { isDatabaseUnavailable } from '../../database/database-error.js';
import { toRecordId } from '../../database/record.js';
import { ServiceError } from '../../errors/service-error.js';
import { AuditTrail } from '../audit/audit-trail.js';
import { PlayersRepository } from '../players/players.repository.js';
import { PlayerStatisticsService } from '../statistics/player-statistics.service.js';
import type { PlayerExport } from './erasure.dto.js';
import { ErasureRepository } from './erasure.repository.js';

@Injectable()
export class PlayerPrivacyService {
  constructor(
    private readonly players: PlayersRepository,
    private readonly statistics: PlayerStatisticsService,
    private readonly records: ErasureRepository,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Returns everything that is stored about a player, deleted or not, and records that it was read.
   * @param organizationId the player's organization, which is required if the player is already erased
   * @throws ServiceError 40403 if there is neither the player nor a row of statistics
   */
  async export(actor: Actor, id: string, organizationId?: string): Promise<PlayerExport> {
    const ownedBy = organizationId === undefined ? {} : { organizationId: toRecordId(organizationId) };
    const owner = (await this.players.ownerOf(id, ownedBy)) ?? organizationId;
    const found = owner === undefined ? undefined : await this.records.findPlayer({ organization: { id: owner } }, id);
    if (found === undefined || (found.player === undefined && found.statistics.length === 0))
      throw new ServiceError('playerNotFound', { message: `No player has the ID ${id}` });
    const event = { action: 'exportPlayer', id, organizationId: owner } as const;
    return this.audit.recordWith(actor, event, () => Promise.resolve(found));
  }

  /**
   * Erases a player, and finds the texts that still contain the name. Returns no `mentions` if the name was already erased,
   * or if the search took too long: the player is erased nevertheless.
   * @throws ServiceError 40403 if there is neither the player nor a row with the name
   */
  async erase(actor: Actor, id: string, organizationId?: string) {
    const { rows, name, organization } = await this.statistics.erasePlayer(actor, id, organizationId);
    await this.records.deleteHistory({ organization }, id);
    const search = name === undefined ? undefined : this.records.findMentions({ organization }, name);
    const mentions = await search?.catch((error: unknown) => {
      if (!isDatabaseUnavailable(error)) throw error;
    });
    return { rows, mentions: mentions ?? undefined };
  }
}
