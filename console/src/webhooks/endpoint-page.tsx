import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { getAnyWebhookEndpointQuery } from '../api/generated/@tanstack/react-query.gen';
import { recoverAnyWebhookEndpoint, testAnyWebhookEndpoint } from '../api/generated/sdk.gen';
import type { AnyWebhookEndpointResponse, WebhookEndpointResponse } from '../api/generated/types.gen';
import { showNotice, withConfirmation } from '../components/dialog';
import { Facts } from '../components/facts';
import { Loaded } from '../components/list';
import { formatCount } from '../components/number';
import { Page, Section } from '../components/page';
import { fromInput, Time, toInput } from '../components/time';
import { ActionButtons, LinkAnchor } from '../components/ui';
import { OrganizationLink } from '../organizations/organization-field';
import { Deliveries } from './deliveries';
import { LastDelivery, toggleAction, WebhookStatus } from './endpoint-list';

const route = getRouteApi('/webhooks/$endpointId');

/** An endpoint, what it got and what came back, and what helps when it fails. */
export function EndpointPage() {
  const { endpointId } = route.useParams();
  const query = useQuery({ ...getAnyWebhookEndpointQuery({ path: { id: endpointId } }), refetchInterval: 5_000 });
  const endpoint = query.data?.data;
  return (
    <Page
      key={endpointId}
      title={endpoint?.url ?? 'Webhook endpoint'}
      description={endpoint && <WebhookStatus endpoint={endpoint} />}
      actions={endpoint && <Actions endpoint={endpoint} />}
    >
      <Loaded query={query}>
        {({ data }) => (
          <>
            <EndpointFacts endpoint={data} />
            <Section title="Deliveries of the last 30 days">
              <Deliveries endpoint={data} />
            </Section>
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Actions({ endpoint }: { endpoint: WebhookEndpointResponse }) {
  const { _id: id, url, isEnabled } = endpoint;
  const ping = withConfirmation({
    label: 'Send ping',
    hint: 'Sends a test event. The result appears in the deliveries.',
    notice: 'The ping is queued.',
    subject: url,
    send: () => testAnyWebhookEndpoint({ path: { id } }),
  });
  const yesterday = new Date(Date.now() - 86_400_000).toISOString();
  const recovery = withConfirmation({
    label: 'Send failed deliveries again',
    hint: 'Every delivery that failed since this time is sent again, with the same ID. It is safe to repeat.',
    subject: url,
    fields: { since: { label: 'Since', type: 'datetime-local', value: toInput(yesterday) } },
    send: async ({ since }) => {
      const { data } = await recoverAnyWebhookEndpoint({ path: { id }, body: { since: fromInput(since) ?? '' } });
      const count = formatCount(data.queued, 'delivery', 'deliveries');
      showNotice(data.queued === 0 ? 'There was nothing to send again.' : `${count} will be sent again.`);
    },
  });
  const sending = isEnabled ? [ping, recovery] : [];
  return <ActionButtons actions={[...sending, toggleAction(endpoint)]} />;
}

function EndpointFacts({ endpoint }: { endpoint: AnyWebhookEndpointResponse }) {
  const { organizationId, organizationName, description, events, createdAt, createdByKey } = endpoint;
  return (
    <Facts
      label="Details of the endpoint"
      facts={[
        ['Organization', <OrganizationLink id={organizationId} name={organizationName} search={{ tab: 'webhooks' }} />],
        ['Description', description],
        ['Events', events?.join(', ') ?? 'All'],
        [
          'Created',
          <>
            <Time value={createdAt} />
            {createdByKey !== undefined && (
              <>
                {' with the key '}
                <LinkAnchor underline="always" to="/keys" search={{ search: createdByKey }}>
                  {createdByKey}…
                </LinkAnchor>
              </>
            )}
          </>,
        ],
        ['Last delivery', <LastDelivery endpoint={endpoint} />],
      ]}
    />
  );
}
