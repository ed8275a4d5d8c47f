import { Group, Paper, SegmentedControl, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getOrganizationUsageQuery } from '../api/generated/@tanstack/react-query.gen';
import type { HourUsageResponse } from '../api/generated/types.gen';
import { optionsOf } from '../components/filters';
import { DataTable, Loaded } from '../components/list';
import { formatCount } from '../components/number';
import { Section } from '../components/page';
import { Time } from '../components/time';
import { Empty, LinkAnchor } from '../components/ui';
import { noUsage, sum, summaryOf, UsageBars, UsageLegend } from '../components/usage-bars';
import { useFilters } from '../search';
import { Outcomes, UsageCsv } from './outcomes';

/** The traffic of an organization, and why its requests fail. */
export function Usage(path: { organizationId: string }) {
  const { filters, change } = useFilters();
  const { hours = 24 } = filters;
  const query = useQuery({ ...getOrganizationUsageQuery({ path, query: { hours } }), refetchInterval: 30_000 });
  return (
    <Stack gap="lg">
      <Group>
        <SegmentedControl
          aria-label="Period"
          data={optionsOf({ 24: '24 hours', 168: '7 days' })}
          value={String(hours)}
          onChange={(value) => change({ hours: value === '168' ? 168 : undefined })}
        />
        <UsageCsv key={hours} path={path} hours={hours} />
      </Group>
      <Loaded query={query}>{({ data }) => <UsageChart hours={data} />}</Loaded>
      <Section
        title={filters.outcome === 'all' ? 'All requests' : 'Why requests fail'}
        aside={
          <LinkAnchor fz="sm" to="/failed-requests" search={path}>
            View failed requests
          </LinkAnchor>
        }
      >
        <Outcomes path={path} hours={hours} />
      </Section>
    </Stack>
  );
}

/** The requests of an organization or a key, as a chart and as a table for screen readers. */
export function UsageChart({ hours }: { hours: readonly HourUsageResponse[] }) {
  if (sum(hours, 'requests') === 0) return <Empty text={noUsage(hours.length)} />;
  const used = hours.filter(({ requests }) => requests > 0);
  return (
    <Paper className="surface" p="lg">
      <Stack gap="sm">
        <Group justify="space-between">
          <Text fw={600}>{summaryOf(hours)}</Text>
          <UsageLegend />
        </Group>
        <UsageBars hours={hours} height={200} />
        <Text size="sm" c="dimmed">
          Requests with a valid key, by clock hour. Errors are responses with a status of 400 or more. Rejected keys are
          only listed.
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
          rows={used}
          rowKey={({ hour }) => hour}
        />
        {formatCount(hours.length - used.length, 'other hour')} without requests.
      </VisuallyHidden>
    </Paper>
  );
}
