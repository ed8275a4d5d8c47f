import { Group, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { listUsageQuery } from '../api/generated/@tanstack/react-query.gen';
import type { OrganizationUsageResponse } from '../api/generated/types.gen';
import { type Column, QueryList } from '../components/list';
import { Page } from '../components/page';
import { UsageBars, UsageLegend } from '../components/usage-bars';
import { OrganizationLink } from '../organizations/organization-field';
import { CreateOrganization } from '../organizations/organizations-page';
import { texts } from '../texts';
import { Attention } from './attention';

const labels = texts.overview;

export function OverviewPage() {
  return (
    <Page title={labels.title} description={labels.description} actions={<CreateOrganization />}>
      <Section title={labels.attention}>
        <Attention />
      </Section>
      <Section title={labels.traffic} aside={<UsageLegend />}>
        <Traffic />
      </Section>
    </Page>
  );
}

function Section({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  return (
    <Stack gap="xs">
      <Group justify="space-between" mih={24}>
        <Title order={2}>{title}</Title>
        {aside}
      </Group>
      {children}
    </Stack>
  );
}

const trafficColumns: Column<OrganizationUsageResponse>[] = [
  [
    texts.organization.title,
    ({ organization: { _id, name } }) => <OrganizationLink id={_id} name={name} search={{ tab: 'usage' }} />,
  ],
  [labels.hours, ({ hours }) => <UsageBars hours={hours} height={32} />],
  [texts.usage.requests, ({ requests }) => texts.number(requests), 'numeric'],
  [texts.usage.errors, ({ errors }) => texts.number(errors), 'numeric'],
];

/** The requests of the busiest organizations in the last 24 hours. */
function Traffic() {
  const list = useQuery({ ...listUsageQuery(), refetchInterval: 30_000 });
  return (
    <QueryList
      label={labels.traffic}
      query={list}
      columns={trafficColumns}
      rowKey={({ organization }) => organization._id}
      empty={texts.usage.empty}
    />
  );
}
