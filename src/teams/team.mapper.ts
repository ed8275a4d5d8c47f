import type { TeamResponse } from './team.response.js';
import type { ShownTeam } from './teams.repository.js';

/** The fields of a team that leave. */
export function toTeamResponse(team: ShownTeam): TeamResponse {
  return {
    _id: String(team._id),
    name: team.name,
    season: String(team.season),
    footballType: team.footballType,
    ageGroup: team.ageGroup,
    gender: team.gender,
    isArchived: team.isArchived,
    ...(team.logoUrl !== undefined && { logoUrl: team.logoUrl }),
    organizationId: String(team.organizationId),
    createdAt: team.createdAt.toISOString(),
    updatedAt: team.updatedAt.toISOString(),
  };
}
