import { Group, Paper, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getOrganizationUsageQuery } from '../api/generated/@tanstack/react-query.gen';
import type { HourUsageResponse } from '../api/generated/types.gen';
import { DataTable, Loaded } from '../components/list';
import { Time } from '../components/time';
import { formatCount } from '../components/number';
import { Empty } from '../components/ui';
import { highestOf, noUsage, sum, summaryOf, UsageBars, UsageLegend } from '../components/usage-bars';

export function Usage({ organizationId }: { organizationId: string }) {
  const query = useQuery({ ...getOrganizationUsageQuery({ path: { organizationId } }), refetchInterval: 30_000 });
  return <Loaded query={query}>{({ data }) => <UsageChart hours={data} />}</Loaded>;
}

/** The requests of one organization in the last 24 hours, as a chart and as a table for screen readers. */
function UsageChart({ hours }: { hours: readonly HourUsageResponse[] }) {
  const [first, last] = [hours[0], hours.at(-1)];
  if (sum(hours, 'requests') === 0 || !first || !last) return <Empty text={noUsage} />;
  return (
    <Paper className="surface" p="lg">
      <Stack gap="sm">
        <Group justify="space-between">
          <Text fw={600}>{summaryOf(hours)}</Text>
          <UsageLegend />
        </Group>
        <UsageBars hours={hours} height={160} />
        <Group justify="space-between" fz="xs" c="dimmed">
          <Time value={first.hour} />
          <span>Busiest hour: {formatCount(highestOf(hours), 'request')}</span>
          <Time value={last.hour} />
        </Group>
        <Text size="sm" c="dimmed">
          Requests with a valid key, by clock hour. Errors are responses with a status of 400 or more.
        </Text>
      </Stack>
      {/* A width, because the cards of a list without one are empty boxes. */}
      <VisuallyHidden w={200}>
        <DataTable
          label="Requests by hour"
          columns={[
            ['Hour', ({ hour }) => <Time value={hour} />],
            ['Requests', (hour) => hour.requests],
            ['Errors', ({ errors }) => errors],
          ]}
          rows={hours}
          rowKey={({ hour }) => hour}
        />
      </VisuallyHidden>
    </Paper>
  );
}
