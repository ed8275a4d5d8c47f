import { erasePlayer, exportPlayer } from '../api/generated/sdk.gen';
import type { ErasedPlayerResponse, FoundPlayerResponse } from '../api/generated/types.gen';
import { download } from '../components/csv';
import { withConfirmation } from '../components/dialog';

export type Player = Pick<FoundPlayerResponse, '_id' | 'name' | 'organizationId'>;

/** Returns what can be done with a player, deleted or not. */
export function actionsOf(
  { _id: playerId, name, organizationId }: Player,
  onErased: (response: ErasedPlayerResponse) => void,
) {
  const path = { playerId };
  return [
    withConfirmation({
      label: 'Export player',
      hint: 'Downloads everything that is stored about the player as a JSON file. The audit log records it.',
      notice: 'The player was exported.',
      subject: name,
      send: async () => {
        const text = JSON.stringify(await exportPlayer({ path, query: { organizationId } }), null, 2);
        download(`player-${playerId}.json`, 'application/json', text);
      },
    }),
    withConfirmation({
      label: 'Erase player',
      hint: `Erases the player, and the name in all statistics, whose numbers stay. You can’t undo this. Note the ID, ${playerId}, and have the organization delete the player in its own system first; otherwise a synchronization can create it again. A deleted player is found only by the ID.`,
      notice: 'The player is erased. Statistics stay, without the name. The audit log and backups stay, too.',
      subject: name,
      isDangerous: true,
      send: () => erasePlayer({ path, body: { organizationId } }).then(onErased),
    }),
  ];
}
