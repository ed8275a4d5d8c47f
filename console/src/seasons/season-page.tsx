import { Button, Drawer, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { getOrganizationSeasonQuery } from '../api/generated/@tanstack/react-query.gen';
import { Loaded } from '../components/list';
import { Page, Section } from '../components/page';
import { Time } from '../components/time';
import { LinkButton } from '../components/ui';
import { History } from '../organizations/history';
import { OrganizationLink, useOrganization } from '../organizations/organization-field';
import { Games } from './games';
import { Standings } from './standings';

const route = getRouteApi('/organizations/$organizationId/seasons/$seasonId');

/** A season as the keys of an organization read it. */
export function SeasonPage() {
  const path = route.useParams();
  const { organizationId, seasonId } = path;
  const query = useQuery(getOrganizationSeasonQuery({ path }));
  const season = query.data?.data;
  const organization = useOrganization(organizationId);
  const [hasHistory, setHistory] = useState(false);
  const summary = season && (
    <Group gap="xs">
      <OrganizationLink id={organizationId} name={organization?.name} search={{ tab: 'seasons' }} />
      <span>
        <Time value={season.startDate} /> – <Time value={season.endDate} />
      </span>
      {season.organizationId === undefined && <span>Shared with all organizations</span>}
    </Group>
  );
  return (
    <Page
      key={`${organizationId} ${seasonId}`}
      title={season?.name ?? 'Season'}
      description={summary}
      actions={
        <>
          <Button variant="default" onClick={() => setHistory(true)}>
            View history
          </Button>
          <LinkButton variant="default" to="/audit" search={{ organizationId }}>
            View audit log
          </LinkButton>
        </>
      }
    >
      <Loaded query={query}>
        {({ data }) => (
          <>
            <Section title="Standings">
              <Standings path={path} rules={data.standings} />
            </Section>
            <Games path={path} />
            <Drawer opened={hasHistory} onClose={() => setHistory(false)} title={`History of ${data.name}`}>
              <History path={{ organizationId, kind: 'season', id: seasonId }} />
            </Drawer>
          </>
        )}
      </Loaded>
    </Page>
  );
}
