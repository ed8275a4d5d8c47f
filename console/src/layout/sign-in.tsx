import { Alert, Button, Center, Paper, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDocumentTitle } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { sessionAtom, signIn } from '../api/session';
import { useSelector } from '@tanstack/react-store';
import { fieldErrors, Password } from '../components/dialog';
import { Failure } from '../components/ui';
import { Brand } from './shell';

export function SignIn() {
  const { endedBecause } = useSelector(sessionAtom);
  const form = useForm({ mode: 'uncontrolled', initialValues: { email: '', password: '' } });
  const mutation = useMutation({ mutationFn: signIn, onError: (error) => form.setErrors(fieldErrors(error)) });
  useDocumentTitle('Sign in · Flag Football console');
  return (
    <Center component="main" mih="100dvh" p="md">
      <Stack w="100%" maw={400}>
        <Brand />
        <Paper className="surface" p="xl">
          <form noValidate onSubmit={form.onSubmit((values) => mutation.mutate(values))}>
            <Stack>
              <div>
                <Title order={1}>Sign in</Title>
                <Text size="sm" c="dimmed">
                  Sign in with the account of a super admin.
                </Text>
              </div>
              {endedBecause !== undefined && !mutation.error && <Alert role="status">{endedBecause}</Alert>}
              {mutation.error && <Failure error={mutation.error} />}
              <TextInput
                label="Email"
                type="email"
                autoComplete="username"
                autoFocus
                key={form.key('email')}
                {...form.getInputProps('email')}
              />
              <Password
                label="Password"
                autoComplete="current-password"
                key={form.key('password')}
                {...form.getInputProps('password')}
              />
              <Button type="submit" loading={mutation.isPending}>
                Sign in
              </Button>
            </Stack>
          </form>
        </Paper>
        <Text size="xs" c="dimmed" ta="center">
          Your session ends after one hour, or when you close the browser.
        </Text>
      </Stack>
    </Center>
  );
}
