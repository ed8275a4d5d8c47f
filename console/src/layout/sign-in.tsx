import { Alert, Button, Center, Paper, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useEffect } from 'react';
import { sessionAtom, signIn } from '../api/session';
import { useSelector } from '@tanstack/react-store';
import { fieldErrors, Password } from '../components/dialog';
import { Failure } from '../components/ui';
import { texts } from '../texts';
import { Brand } from './shell';

export function SignIn() {
  const { endedBecause } = useSelector(sessionAtom);
  const form = useForm({ mode: 'uncontrolled', initialValues: { email: '', password: '' } });
  const mutation = useMutation({ mutationFn: signIn, onError: (error) => form.setErrors(fieldErrors(error)) });
  useEffect(() => {
    document.title = texts.documentTitle(texts.signIn.title);
  }, []);
  return (
    <Center component="main" mih="100dvh" p="md">
      <Stack w="100%" maw={400}>
        <Brand />
        <Paper className="surface" p="xl">
          <form noValidate onSubmit={form.onSubmit((values) => mutation.mutate(values))}>
            <Stack>
              <div>
                <Title order={1}>{texts.signIn.title}</Title>
                <Text size="sm" c="dimmed">
                  {texts.signIn.hint}
                </Text>
              </div>
              {endedBecause !== undefined && !mutation.error && <Alert role="status">{endedBecause}</Alert>}
              {mutation.error && <Failure error={mutation.error} />}
              <TextInput
                label={texts.fields.email}
                type="email"
                autoComplete="username"
                autoFocus
                key={form.key('email')}
                {...form.getInputProps('email')}
              />
              <Password
                label={texts.fields.password}
                autoComplete="current-password"
                key={form.key('password')}
                {...form.getInputProps('password')}
              />
              <Button type="submit" loading={mutation.isPending}>
                {texts.signIn.submit}
              </Button>
            </Stack>
          </form>
        </Paper>
        <Text size="xs" c="dimmed" ta="center">
          {texts.signIn.tabOnly}
        </Text>
      </Stack>
    </Center>
  );
}
