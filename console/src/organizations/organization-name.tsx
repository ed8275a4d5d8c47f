import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { createLink } from '@tanstack/react-router';
import { queries } from '../api/queries';

export const LinkAnchor = createLink(Anchor<'a'>);

/** The name of an organization as a link, or its ID until the name is known. */
export function OrganizationName({ id }: { id: string }) {
  const { data } = useQuery(queries.organization(id));
  return (
    <LinkAnchor inherit className="break" to="/organizations/$organizationId" params={{ organizationId: id }}>
      {data?.name ?? id}
    </LinkAnchor>
  );
}
