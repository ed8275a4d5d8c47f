import { Anchor, Text } from '@mantine/core';
import type { AuditActorResponse, AuditEventResponse } from '../api/generated/types.gen';
import type { Column } from '../components/list';
import { StatusBadge } from '../components/status-badge';
import { Time } from '../components/time';
import { OrganizationName } from '../organizations/organization-name';
import { texts } from '../texts';
import { actionLabels } from './audit-actions';

/** Returns the columns of the audit; the time opens the details, the actor filters. */
export function auditColumns(
  show: (event: AuditEventResponse) => void,
  filterByActor: (actorId: string) => void,
): Column<AuditEventResponse>[] {
  return [
    {
      header: texts.audit.event,
      cell: (event) => (
        <Anchor component="button" type="button" inherit ta="left" fw={600} onClick={() => show(event)}>
          {nameOf(event)}
        </Anchor>
      ),
    },
    { header: texts.audit.at, cell: ({ at }) => <Time value={at} /> },
    { header: texts.audit.actor, cell: ({ actor }) => <Actor actor={actor} onFilter={filterByActor} /> },
    {
      header: texts.fields.organization,
      cell: ({ organizationId }) => (organizationId ? <OrganizationName id={organizationId} /> : texts.none),
    },
    {
      header: texts.audit.outcome,
      cell: ({ outcome }) => (
        <StatusBadge tone={outcome === 'done' ? 'good' : 'bad'}>{texts.audit.outcomes[outcome]}</StatusBadge>
      ),
    },
  ];
}

/** Returns the label of the event's action, or the action itself if the console does not know it yet. */
export function nameOf({ action }: AuditEventResponse): string {
  const labels: Partial<Record<string, string>> = actionLabels;
  return labels[action] ?? action;
}

function Actor({ actor, onFilter }: { actor: AuditActorResponse; onFilter: (actorId: string) => void }) {
  const { _id, kind, email } = actor;
  if (_id === undefined) return texts.audit.actors[kind];
  return (
    <Anchor
      component="button"
      type="button"
      inherit
      ta="left"
      className="break"
      title={texts.audit.filterByActor}
      onClick={() => onFilter(_id)}
    >
      <Text inherit span>
        {email ?? _id}
      </Text>
    </Anchor>
  );
}
