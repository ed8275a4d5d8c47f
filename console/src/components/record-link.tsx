import type { AnchorProps } from '@mantine/core';
import { LinkAnchor } from './ui';

interface RecordLinkProps extends Pick<AnchorProps, 'className' | 'fw'> {
  /** The kind, as the audit log and events name it. */
  kind: string;
  id: string;
  organizationId: string;
  name: string;
  title?: string;
}

/** A link to the page of a record, or else to the search for it in its organization. */
export function RecordLink({ kind, id, organizationId, name, className = 'break', ...props }: RecordLinkProps) {
  const home = `/organizations/${organizationId}`;
  const pages: Readonly<Record<string, string>> = {
    apiKey: `/keys/${id}`,
    webhookEndpoint: `/webhooks/${id}`,
    season: `${home}/seasons/${id}`,
    organization: home,
    user: home,
    calendarLink: home,
  };
  const page = pages[kind];
  return (
    <LinkAnchor
      {...props}
      className={className}
      to={page ?? home}
      search={page === undefined ? { tab: 'data', search: id } : {}}
    >
      {name}
    </LinkAnchor>
  );
}
