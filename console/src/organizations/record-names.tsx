import { useQuery } from '@tanstack/react-query';
import { getOrganizationSeasonQuery, searchOrganizationRecordsQuery } from '../api/generated/@tanstack/react-query.gen';
import type { TeamResponse } from '../api/generated/types.gen';
import { RecordLink } from '../components/record-link';

interface TeamPath {
  organizationId: string;
  teamId: string | undefined;
}

/** Returns a team, if there is one to read and it is not deleted. */
export function useTeam({ organizationId, teamId = '' }: TeamPath): TeamResponse | undefined {
  const query = searchOrganizationRecordsQuery({ path: { organizationId }, query: { search: teamId } });
  const found = useQuery({ ...query, enabled: teamId !== '' });
  return found.data?.data.teams.find(({ _id }) => _id === teamId);
}

/** The name of a team, or else its ID. */
export function TeamName(path: TeamPath) {
  const team = useTeam(path);
  return team?.name ?? path.teamId;
}

/** A link to a season with its name, or else its ID. */
export function SeasonLink(path: { organizationId: string; seasonId: string }) {
  const { organizationId, seasonId: id } = path;
  const season = useQuery(getOrganizationSeasonQuery({ path })).data?.data;
  return <RecordLink kind="season" id={id} organizationId={organizationId} name={season?.name ?? id} />;
}
