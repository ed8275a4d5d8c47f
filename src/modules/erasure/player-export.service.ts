import { Injectable } from '@nestjs/common';
import type { Actor } from '../../access/request-context.js';
import { toRecordId } from '../../database/record.js';
import { ServiceError } from '../../errors/service-error.js';
import { AuditTrail } from '../audit/audit-trail.js';
import { PlayersRepository } from '../players/players.repository.js';
import type { PlayerExport } from './erasure.dto.js';
import { ErasureRepository } from './erasure.repository.js';

@Injectable()
export class PlayerExportService {
  constructor(
    private readonly players: PlayersRepository,
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
}
