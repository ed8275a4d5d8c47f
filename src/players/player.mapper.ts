import type { PlayerResponse } from './player.response.js';
import type { ShownPlayer } from './players.repository.js';

/** The fields of a player that leave. */
export function toPlayerResponse(player: ShownPlayer): PlayerResponse {
  return {
    _id: String(player._id),
    teamId: String(player.teamId),
    organizationId: String(player.organizationId),
    name: player.name,
    ...(player.email !== undefined && { email: player.email }),
    position: player.position,
    ...(player.jerseyNumber !== undefined && { jerseyNumber: player.jerseyNumber }),
    ...(player.profilePicture !== undefined && { profilePicture: player.profilePicture }),
    createdAt: player.createdAt.toISOString(),
    updatedAt: player.updatedAt.toISOString(),
  };
}
