import { Alert, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSelector } from '@tanstack/react-store';
import { ApiError } from '../api/client';
import { getMeQuery } from '../api/generated/@tanstack/react-query.gen';
import { changePassword } from '../api/generated/sdk.gen';
import { continueWith, sessionAtom } from '../api/session';
import { openForm } from '../components/dialog';
import { Facts } from '../components/facts';
import { Loaded } from '../components/list';
import { Page, Section } from '../components/page';
import { ActionButtons, roleLabels } from '../components/ui';
import { SecondFactor } from './second-factor';

/** The user's own account. Also replaces every page while the server requires a second factor that the user lacks. */
export function AccountPage() {
  const { needsSecondFactor = false } = useSelector(sessionAtom);
  const query = useQuery(getMeQuery());
  return (
    <Page title="My account">
      {needsSecondFactor && (
        <Alert role="status" color="yellow" title="Set up a second factor to continue">
          This server requires super admins to sign in with a second factor, and you have none yet. After that you
          continue where you were.
        </Alert>
      )}
      <Loaded query={query}>
        {({ data: { name, email, role, hasSecondFactor } }) => (
          <>
            <Facts
              label="My account"
              facts={[
                ['Name', name],
                ['Email', email],
                ['Role', roleLabels[role]],
              ]}
            />
            <SecondFactor isOn={hasSecondFactor} />
            {!needsSecondFactor && <Password />}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Password() {
  return (
    <Section title="Password">
      <Text size="sm">A new password ends your sessions in other browsers and programs. This one continues.</Text>
      <Group>
        <ActionButtons actions={[{ label: 'Change password', onClick: openPasswordForm }]} />
      </Group>
    </Section>
  );
}

const openPasswordForm = (): string =>
  openForm({
    title: 'Change password',
    notice: 'Your password was changed. Your other sessions have ended.',
    fields: {
      currentPassword: { label: 'Current password', type: 'password', autoComplete: 'current-password' },
      newPassword: { label: 'New password', type: 'password', description: '8 to 200 characters.' },
      repeated: { label: 'New password again', type: 'password' },
    },
    send: async ({ repeated, ...body }) => {
      const details = [{ field: 'repeated', message: 'The new passwords differ' }];
      if (repeated !== body.newPassword) throw new ApiError('The new passwords differ.', undefined, undefined, details);
      return continueWith(await changePassword({ body }));
    },
  });
