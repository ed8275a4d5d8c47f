import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getOrganizationUsageQuery } from '../api/generated/@tanstack/react-query.gen';
import type { ApiKeyResponse, KeyRejection, UsageOutcomeResponse } from '../api/generated/types.gen';
import { Loaded } from '../components/list';
import { formatCount } from '../components/number';
import { Time } from '../components/time';
import { rejectionLabels } from '../organizations/error-advice';
import { UsageChart } from '../organizations/usage';

/** The requests of a key by hour, and how many were too many. */
export function KeyUsage({ apiKey: { id: apiKeyId, organizationId } }: { apiKey: ApiKeyResponse }) {
  const query = { apiKeyId, hours: 168 };
  const usage = useQuery({
    ...getOrganizationUsageQuery({ path: { organizationId }, query }),
    refetchInterval: 30_000,
    placeholderData: undefined,
  });
  return (
    <Loaded query={usage}>
      {({ data }) => {
        const limited = data.reduce((sum, { errorsByCode }) => sum + (errorsByCode?.[42901] ?? 0), 0);
        return (
          <>
            <UsageChart hours={data} />
            {limited > 0 && <Text size="sm">The rate limit rejected {formatCount(limited, 'request')} (42901).</Text>}
          </>
        );
      }}
    </Loaded>
  );
}

/** Says how often a rejected key was used, and from where. */
export function RejectedUses({ outcomes }: { outcomes: readonly UsageOutcomeResponse[] }) {
  return (Object.keys(rejectionLabels) as KeyRejection[]).map((reason) => {
    const uses = outcomes.filter(({ rejection }) => rejection === reason);
    const count = uses.reduce((sum, { requests }) => sum + requests, 0);
    const [last] = uses.toSorted((one, other) => other.lastHour.localeCompare(one.lastHour));
    return (
      last && (
        <Text key={reason} size="sm">
          In the last 7 days, used {formatCount(count, 'time')} {rejectionLabels[reason]}, last from{' '}
          {last.detail ?? 'an unknown address'}, in the hour from <Time value={last.lastHour} />.
        </Text>
      )
    );
  });
}
