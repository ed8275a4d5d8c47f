import { Alert, Button, Center, Paper, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDocumentTitle } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ApiError } from '../api/client';
import { sessionAtom, signIn } from '../api/session';
import { useSelector } from '@tanstack/react-store';
import { fieldErrors, Password } from '../components/dialog';
import { Failure } from '../components/ui';
import { Brand } from './shell';

/** The frame of a page that needs no session: a card in the middle, and what stands below it. */
export function SignedOutPage({ below, children }: { below?: ReactNode; children: ReactNode }) {
  return (
    <Center component="main" mih="100dvh" p="md">
      <Stack w="100%" maw={400}>
        <Brand />
        <Paper className="surface" p="xl">
          {children}
        </Paper>
        {below}
      </Stack>
    </Center>
  );
}

const showModal = (dialog: HTMLDialogElement | null) => {
  dialog?.showModal();
  return () => dialog?.close();
};

/** The form above everything else, which it hides and disables. */
export function SignInAgain() {
  return (
    <dialog
      ref={showModal}
      className="sign-in"
      aria-label="Sign in"
      closedby="none"
      onCancel={(event) => event.preventDefault()}
    >
      <SignIn />
    </dialog>
  );
}

export function SignIn() {
  const { endedBecause } = useSelector(sessionAtom);
  const form = useForm({ initialValues: { email: '', password: '', code: '' } });
  const [needsCode, setNeedsCode] = useState(false);
  const mutation = useMutation({
    mutationFn: ({ code, ...login }: typeof form.values) => signIn(code === '' ? login : { ...login, code }),
    onError: (error) => {
      form.setErrors(fieldErrors(error));
      if (error instanceof ApiError && error.code === 40103) setNeedsCode(true);
    },
  });
  // The page below keeps its title.
  useDocumentTitle(endedBecause === undefined ? 'Sign in · Flag Football console' : document.title);
  return (
    <SignedOutPage
      below={
        <Text size="xs" c="dimmed" ta="center">
          Your session ends after one hour, or when you close the browser.
        </Text>
      }
    >
      <form noValidate onSubmit={form.onSubmit((values) => mutation.mutate(values))}>
        <Stack>
          <div>
            <Title order={1}>Sign in</Title>
            <Text size="sm" c="dimmed">
              Sign in with a super admin account.
            </Text>
          </div>
          {endedBecause !== undefined && !mutation.error && <Alert role="status">{endedBecause}</Alert>}
          {mutation.error && <Failure error={mutation.error} />}
          <TextInput label="Email" type="email" autoComplete="username" autoFocus {...form.getInputProps('email')} />
          <Password label="Password" autoComplete="current-password" {...form.getInputProps('password')} />
          {needsCode && (
            <TextInput
              label="Code or recovery code"
              description="Without your phone and recovery codes, ask another super admin to reset your second factor."
              autoComplete="one-time-code"
              autoFocus
              {...form.getInputProps('code')}
            />
          )}
          <Button type="submit" loading={mutation.isPending}>
            Sign in
          </Button>
        </Stack>
      </form>
    </SignedOutPage>
  );
}
