import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { ApiError, queryClient } from '../api/client';
import { getOrganizationQuery } from '../api/generated/@tanstack/react-query.gen';
import { eraseOrganization } from '../api/generated/sdk.gen';
import type { ErasureProgress, OrganizationResponse } from '../api/generated/types.gen';
import { showNotice, withConfirmation } from '../components/dialog';
import { formatNumber } from '../components/number';
import { Section } from '../components/page';
import { ActionButtons, Empty } from '../components/ui';

export function EraseOrganization({ organization }: { organization: OrganizationResponse }) {
  const { _id: organizationId, name, disabled } = organization;
  const erase = withConfirmation({
    label: 'Erase organization',
    hint: 'Erases all its records, keys and users. You can’t stop or undo this. Its backups stay, and its audit events, without names of users.',
    notice: 'The organization is being erased.',
    subject: name,
    isDangerous: true,
    send: () => eraseOrganization({ path: { organizationId }, body: { name } }),
  });
  return (
    <Section title="Erase organization">
      <Text size="sm">
        {disabled
          ? 'Erases all records, keys and users of the organization.'
          : 'Disable the organization first. Then you can erase all its records, keys and users here.'}
      </Text>
      <Group>{disabled && <ActionButtons actions={[erase]} />}</Group>
    </Section>
  );
}

/** What is written while the erasure runs is deleted too. */
const progressOf = ({ done, total }: ErasureProgress) =>
  `${formatNumber(done)} of ${formatNumber(Math.max(done, total))} records are deleted.`;

/** Waits for the end of an erasure, and leads back to the list. */
export function BeingErased({ organization }: { organization: OrganizationResponse }) {
  const { _id: organizationId, name, erasure } = organization;
  const navigate = useNavigate();
  const { error } = useQuery({ ...getOrganizationQuery({ path: { organizationId } }), refetchInterval: 2_000 });
  const isErased = error instanceof ApiError && error.status === 404;
  useEffect(() => {
    if (!isErased) return;
    showNotice(`${name} is erased. Its audit events stay, without names of users.`);
    void queryClient.invalidateQueries();
    void navigate({ to: '/organizations' });
  }, [isErased, name, navigate]);
  const hint = 'This takes at least 30 seconds, even if you leave the page.';
  return <Empty text={['Being erased', erasure === undefined ? hint : `${progressOf(erasure)} ${hint}`]} />;
}
