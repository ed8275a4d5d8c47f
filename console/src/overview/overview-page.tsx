import { useQuery } from '@tanstack/react-query';
import { listUsageQuery } from '../api/generated/@tanstack/react-query.gen';
import type { OrganizationUsageResponse } from '../api/generated/types.gen';
import { type Column, QueryList } from '../components/list';
import { Page, Section } from '../components/page';
import { formatNumber } from '../components/number';
import { noUsage, UsageBars, UsageLegend } from '../components/usage-bars';
import { OrganizationLink } from '../organizations/organization-field';
import { CreateOrganization } from '../organizations/organizations-page';
import { Attention } from './attention';

export function OverviewPage() {
  return (
    <Page
      title="Overview"
      description="What needs attention, and traffic in the last 24 hours."
      actions={<CreateOrganization />}
    >
      <Section title="Needs attention">
        <Attention />
      </Section>
      <Section title="Traffic by organization" aside={<UsageLegend />}>
        <Traffic />
      </Section>
    </Page>
  );
}

/** Returns the columns of the traffic, whose bars have one scale. */
const trafficColumns = (highest: number): Column<OrganizationUsageResponse>[] => [
  [
    'Organization',
    ({ organization: { _id, name } }) => <OrganizationLink id={_id} name={name} search={{ tab: 'usage' }} />,
  ],
  ['Last 24 hours', ({ hours }) => <UsageBars hours={hours} height={32} highest={highest} />],
  ['Requests', ({ requests }) => formatNumber(requests), 'numeric'],
  ['Errors', ({ errors }) => formatNumber(errors), 'numeric'],
];

/** The requests of the busiest organizations in the last 24 hours. */
function Traffic() {
  const list = useQuery({ ...listUsageQuery(), refetchInterval: 30_000 });
  const hours = list.data?.data.flatMap((organization) => organization.hours) ?? [];
  const highest = Math.max(1, ...hours.map(({ requests }) => requests));
  return (
    <QueryList
      label="Traffic by organization"
      query={list}
      columns={trafficColumns(highest)}
      rowKey={({ organization }) => organization._id}
      empty={noUsage()}
    />
  );
}
