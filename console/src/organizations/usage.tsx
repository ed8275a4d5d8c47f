import { Group, Paper, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getOrganizationUsageQuery } from '../api/generated/@tanstack/react-query.gen';
import type { HourUsageResponse } from '../api/generated/types.gen';
import { DataTable, Loaded } from '../components/list';
import { Time } from '../components/time';
import { Empty } from '../components/ui';
import { sum, UsageBars, UsageLegend } from '../components/usage-bars';
import { texts } from '../texts';

const labels = texts.usage;

export function Usage({ organizationId }: { organizationId: string }) {
  const query = useQuery({ ...getOrganizationUsageQuery({ path: { organizationId } }), refetchInterval: 30_000 });
  return <Loaded query={query}>{({ data }) => <UsageChart hours={data} />}</Loaded>;
}

/** The requests of one organization in the last 24 hours, as a chart and as a table for screen readers. */
function UsageChart({ hours }: { hours: readonly HourUsageResponse[] }) {
  const [first, last] = [hours[0], hours.at(-1)];
  const requests = sum(hours, 'requests');
  if (requests === 0 || !first || !last) return <Empty text={labels.empty} />;
  return (
    <Paper className="surface" p="lg">
      <Stack gap="sm">
        <Group justify="space-between">
          <Text fw={600}>{labels.summary(requests, sum(hours, 'errors'))}</Text>
          <UsageLegend />
        </Group>
        <UsageBars hours={hours} height={160} />
        <Group justify="space-between" fz="xs" c="dimmed">
          <Time value={first.hour} />
          <span>{labels.highest(Math.max(...hours.map((hour) => hour.requests)))}</span>
          <Time value={last.hour} />
        </Group>
        <Text size="sm" c="dimmed">
          {labels.hint}
        </Text>
      </Stack>
      {/* A width, because the cards of a list without one are empty boxes. */}
      <VisuallyHidden w={200}>
        <DataTable
          label={labels.list}
          columns={[
            [labels.hour, ({ hour }) => <Time value={hour} />],
            [labels.requests, (hour) => hour.requests],
            [labels.errors, ({ errors }) => errors],
          ]}
          rows={hours}
          rowKey={({ hour }) => hour}
        />
      </VisuallyHidden>
    </Paper>
  );
}
