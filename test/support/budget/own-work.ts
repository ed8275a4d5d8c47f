import { ChangeStreamService } from '../../../src/database/change-stream.service.js';
import { ApiKeysRepository } from '../../../src/modules/api-keys/api-keys.repository.js';
import { OrganizationEraser } from '../../../src/modules/erasure/organization-eraser.js';
import { HistoryProjectionRepository } from '../../../src/modules/history/history-projection.repository.js';
import { GameUpdater } from '../../../src/modules/schedules/game-updater.js';
import { KnownNetworks } from '../../../src/modules/users/known-networks.js';
import { WebhookFeed } from '../../../src/modules/webhooks/webhook-feed.js';

/** Keeps caches current on a slow machine, and stops what the server does on its own at any time, until `restoreAllMocks`. */
export function stopOwnWork(): void {
  jest.spyOn(ChangeStreamService.prototype, 'isCurrent').mockReturnValue(true);
  jest.spyOn(ApiKeysRepository.prototype, 'removePreviousSecrets').mockResolvedValue();
  jest.spyOn(ApiKeysRepository.prototype, 'updateLastUsed').mockResolvedValue();
  jest.spyOn(WebhookFeed.prototype, 'dispatch').mockResolvedValue();
  jest.spyOn(OrganizationEraser.prototype, 'eraseMarked').mockResolvedValue([]);
  jest.spyOn(HistoryProjectionRepository.prototype, 'write').mockResolvedValue();
  jest.spyOn(GameUpdater.prototype, 'work').mockResolvedValue();
  jest.spyOn(KnownNetworks.prototype, 'has').mockReturnValue(false);
}
