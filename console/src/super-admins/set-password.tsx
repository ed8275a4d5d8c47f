import { Alert, Button, Stack, Text, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDocumentTitle, useWindowEvent } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { basePath } from '../api/base-path';
import { ApiError } from '../api/client';
import { resetPassword } from '../api/generated/sdk.gen';
import { fieldErrors, Password } from '../components/dialog';
import { Failure } from '../components/ui';
import { SignedOutPage } from '../layout/sign-in';

/** Returns the token of the link, and removes it from the address bar and the history. */
export function takeToken(): string {
  const token = window.location.hash.slice(1);
  window.history.replaceState(null, '', window.location.pathname);
  return token;
}

const invalidLink = 'This link is used, expired or replaced by a newer one. Ask a super admin for a new link.';

/** Sets the password of the user to whom a super admin gave the link. */
export function SetPassword({ token }: { token: string }) {
  const form = useForm({
    initialValues: { newPassword: '', repeated: '' },
    validate: {
      repeated: (repeated, { newPassword }) => (repeated === newPassword ? null : 'The passwords differ'),
    },
  });
  const { mutate, error, isPending, isSuccess } = useMutation({
    mutationFn: ({ newPassword }: typeof form.values) => resetPassword({ body: { token, newPassword } }),
    onError: (failure) => form.setErrors(fieldErrors(failure)),
  });
  useDocumentTitle('Set password · Flag Football console');
  // Another link in the address bar does not load the page again by itself.
  useWindowEvent('hashchange', () => window.location.reload());
  const isInvalid = error instanceof ApiError && error.code === 40104;
  return (
    <SignedOutPage>
      <Stack>
        <Title order={1}>Set password</Title>
        {token === '' && <Failure error={{ message: 'Open the link again that a super admin sent you.' }} />}
        {error && <Failure error={isInvalid ? { message: invalidLink } : error} />}
        {isSuccess && <Done />}
        {token !== '' && !isInvalid && !isSuccess && (
          <form noValidate onSubmit={form.onSubmit((values) => mutate(values))}>
            <Stack>
              <Password
                label="New password"
                description="8 to 200 characters."
                autoComplete="new-password"
                autoFocus
                {...form.getInputProps('newPassword')}
              />
              <Password label="New password again" autoComplete="new-password" {...form.getInputProps('repeated')} />
              <Button type="submit" loading={isPending}>
                Set password
              </Button>
            </Stack>
          </form>
        )}
      </Stack>
    </SignedOutPage>
  );
}

function Done() {
  return (
    <>
      <Alert role="status" title="Your password is set">
        <Text size="sm">Your earlier sessions have ended. Super admins can sign in here.</Text>
      </Alert>
      <Button component="a" href={`${basePath}/console/`}>
        Go to sign in
      </Button>
    </>
  );
}
