import { Alert, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import {
  getApiKeyQuery,
  listAuditEventsQuery,
  listUsageOutcomesQuery,
} from '../api/generated/@tanstack/react-query.gen';
import type { ApiKeyResponse, AuditEventResponse } from '../api/generated/types.gen';
import { actorLabels, labelOf } from '../audit/audit-labels';
import { Facts } from '../components/facts';
import { type Column, Loaded, QueryList } from '../components/list';
import { Page, Section } from '../components/page';
import { Time, When } from '../components/time';
import { ActionButtons, LinkAnchor } from '../components/ui';
import { OrganizationLink } from '../organizations/organization-field';
import { OutcomeList } from '../organizations/outcomes';
import { actionsOf, KeyStatus } from './key-list';
import { KeyUsage, RejectedUses } from './key-usage';
import { accessOf, readScopes, rejectionOf, scopesInWords } from './key-rules';

const route = getRouteApi('/keys/$keyId');

/** Everything about one key: what it may do, whether it works and is used, and who changed it. */
export function KeyPage() {
  const { keyId } = route.useParams();
  const query = useQuery(getApiKeyQuery({ path: { id: keyId } }));
  const apiKey = query.data?.data;
  return (
    <Page
      key={keyId}
      title={apiKey?.name ?? 'Key'}
      description={apiKey && <KeyStatus apiKey={apiKey} />}
      actions={apiKey && <ActionButtons actions={actionsOf(apiKey)} />}
    >
      <Loaded query={query}>
        {({ data }) => (
          <>
            <Section title="Key">
              <KeyFacts apiKey={data} />
            </Section>
            <Section title="Access">
              <Access apiKey={data} />
            </Section>
            <Section
              title="Requests in the last 7 days"
              aside={
                <OrganizationLink
                  id={data.organizationId}
                  name="View all requests"
                  search={{ tab: 'usage', hours: 168, outcome: 'all', apiKeyId: keyId }}
                />
              }
            >
              <KeyUsage apiKey={data} />
            </Section>
            <Section
              title="Errors in the last 7 days"
              aside={
                <LinkAnchor fz="sm" to="/failed-requests" search={{ apiKeyId: keyId }}>
                  View failed requests
                </LinkAnchor>
              }
            >
              <KeyErrors apiKey={data} />
            </Section>
            <Section
              title="Changes"
              aside={
                <LinkAnchor fz="sm" to="/audit" search={{ targetId: keyId }}>
                  View audit log
                </LinkAnchor>
              }
            >
              <Changes targetId={keyId} />
            </Section>
          </>
        )}
      </Loaded>
    </Page>
  );
}

function KeyErrors({ apiKey }: { apiKey: ApiKeyResponse }) {
  const { id: apiKeyId, organizationId } = apiKey;
  const rejection = rejectionOf(apiKey);
  const filter = { apiKeyId, isError: true, hours: 168 } as const;
  const query = { apiKeyId, isRejected: true, hours: 168 };
  const rejected = useQuery(listUsageOutcomesQuery({ path: { organizationId }, query }));
  return (
    <>
      {rejection !== undefined && <Alert color="red">{rejection} All requests with this key get 401.</Alert>}
      <RejectedUses outcomes={rejected.data?.data ?? []} />
      <OutcomeList organizationId={organizationId} filter={filter} isOfKey />
    </>
  );
}

function KeyFacts({ apiKey }: { apiKey: ApiKeyResponse }) {
  const { organizationId, organizationName, keyPrefix, createdAt, createdBy, lastUsedAt, expiresAt } = apiKey;
  return (
    <Facts
      label="Key"
      facts={[
        ['Organization', <OrganizationLink id={organizationId} name={organizationName} search={{ tab: 'keys' }} />],
        ['Prefix', `${keyPrefix}…`],
        ['Created', <When time={createdAt} who={createdBy?.email} />],
        ['Last used', lastUsedAt ? <LastUse at={lastUsedAt} from={apiKey.lastUsedFrom} /> : 'Never'],
        ['Expires', expiresAt ? <Time value={expiresAt} /> : 'Never'],
        ['Rotated', apiKey.rotatedAt && <When time={apiKey.rotatedAt} who={apiKey.lastRotatedBy?.email} />],
        [
          'Previous secret',
          apiKey.previousSecretExpiresAt && <OldSecret {...apiKey} end={apiKey.previousSecretExpiresAt} />,
        ],
      ]}
    />
  );
}

const LastUse = ({ at, from }: { at: string; from: string | undefined }) => (
  <>
    <Time value={at} as="relative" />
    {from && ` from ${from}`}
  </>
);

/** Says whether the partner still uses the secret from before the rotation. */
function OldSecret({ end, previousSecretUsedAt: used }: { end: string; previousSecretUsedAt?: string }) {
  return (
    <>
      Works until <Time value={end} />.{' '}
      {used === undefined ? (
        'No use since the rotation; a use appears here within a minute.'
      ) : (
        <strong>
          Last used <Time value={used} as="relative" />: the partner has not switched everywhere.
        </strong>
      )}
    </>
  );
}

function Access({ apiKey: { scopes, allowedAddresses } }: { apiKey: ApiKeyResponse }) {
  const access = accessOf(scopes);
  return (
    <Stack gap="sm">
      {access === 'everything' ? (
        <Text size="sm">The key can read and write all data of the organization.</Text>
      ) : (
        <Facts label="Scopes" facts={scopesInWords(scopes ?? readScopes)} />
      )}
      <Text size="sm" className="break">
        {allowedAddresses ? `Only from ${allowedAddresses.join(', ')}.` : 'From any IP address.'}
      </Text>
    </Stack>
  );
}

const columns: Column<AuditEventResponse>[] = [
  ['Event', (event) => <strong>{labelOf(event)}</strong>],
  ['Time', ({ at }) => <Time value={at} />, 'nowrap'],
  ['Actor', ({ actor: { kind, email } }) => <span className="break">{email ?? actorLabels[kind]}</span>],
];

/** The latest audit events about a record. */
function Changes({ targetId }: { targetId: string }) {
  return (
    <QueryList
      label="Latest changes"
      query={useQuery(listAuditEventsQuery({ query: { targetId, limit: 10 } }))}
      columns={columns}
      rowKey={({ _id }) => _id}
      empty={['No events', 'Changes appear in the audit log.']}
    />
  );
}
