import { Button, Code, Group, Stack, Text } from '@mantine/core';
import { QRCodeSVG } from 'qrcode.react';
import { confirmSecondFactor, createSecondFactor, deleteSecondFactor } from '../api/generated/sdk.gen';
import type { RecoveryCodesResponse, SecondFactorResponse } from '../api/generated/types.gen';
import { continueWith } from '../api/session';
import { openForm } from '../components/dialog';
import { Section } from '../components/page';
import { openSecret } from '../components/secret-dialog';
import { Copy, Status } from '../components/ui';

export const SecondFactorStatus = ({ isOn }: { isOn: boolean }) => (
  <Status tone={isOn ? 'good' : 'neutral'}>{isOn ? 'On' : 'Off'}</Status>
);

/** Sets up or removes the second factor of the user. */
export function SecondFactor({ isOn }: { isOn: boolean }) {
  return (
    <Section title="Second factor" aside={<SecondFactorStatus isOn={isOn} />}>
      <Text size="sm">
        {isOn
          ? 'Signing in also requires a code of your authenticator app, or a recovery code.'
          : 'With a second factor, signing in also requires a code of an authenticator app on your phone.'}
      </Text>
      <Group>
        <Button variant="default" onClick={isOn ? openRemoval : openPassword}>
          {isOn ? 'Remove second factor' : 'Set up second factor'}
        </Button>
      </Group>
    </Section>
  );
}

const password = { label: 'Password', type: 'password', autoComplete: 'current-password' } as const;

/** What proves that it is the user who asks, not only someone with their session. */
export const ownFactorFields = {
  password,
  code: { label: 'Code or recovery code', autoComplete: 'one-time-code' },
} as const;

const openPassword = (): string =>
  openForm({
    title: 'Set up second factor',
    submitLabel: 'Continue',
    hint: 'Enter your current password first.',
    fields: { password },
    send: (body) => createSecondFactor({ body }),
    // Not at once: this dialog, which closes after it, has the same place.
    onSuccess: (created) => void setTimeout(openSetUp, 0, created),
  });

const openSetUp = ({ uri, secret }: SecondFactorResponse): string =>
  openForm({
    title: 'Set up second factor',
    submitLabel: 'Confirm code',
    hint: (
      <>
        <Text size="sm">Scan the QR code with an authenticator app, or type the secret into the app.</Text>
        <QRCodeSVG
          value={uri}
          title="QR code of the secret"
          size={200}
          marginSize={4}
          style={{ alignSelf: 'center' }}
        />
        <Stack gap={4}>
          <Text size="sm" fw={500}>
            Secret
          </Text>
          <Group gap="xs">
            <Code className="break">{secret}</Code>
            <Copy value={secret} what="secret" />
          </Group>
        </Stack>
      </>
    ),
    fields: {
      code: {
        label: 'Code',
        description: 'The six digits that the app shows now.',
        inputMode: 'numeric',
        autoComplete: 'one-time-code',
      },
    },
    send: async (body) => continueWith(await confirmSecondFactor({ body })),
    onSuccess: openRecoveryCodes,
  });

const openRecoveryCodes = ({ recoveryCodes }: RecoveryCodesResponse): void =>
  openSecret({
    what: 'recovery codes',
    label: 'Recovery codes',
    value: recoveryCodes.join('\n'),
    fileName: 'recovery-codes.txt',
    hint: 'Without your phone, each of them replaces a code of the app once. Keep them apart from your password.',
  });

const openRemoval = (): string =>
  openForm({
    title: 'Remove second factor',
    hint: 'Signing in then requires only your password. Your recovery codes stop working.',
    notice: 'The second factor was removed.',
    isDangerous: true,
    fields: ownFactorFields,
    send: (body) => deleteSecondFactor({ body }),
  });
