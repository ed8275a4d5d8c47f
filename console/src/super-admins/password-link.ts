import { basePath } from '../api/base-path';
import { createPasswordReset } from '../api/generated/sdk.gen';
import type { PasswordResetResponse, UserResponse } from '../api/generated/types.gen';
import { withConfirmation } from '../components/dialog';
import { openSecret } from '../components/secret-dialog';
import type { RowAction } from '../components/ui';

export const setPasswordPath = `${basePath}/console/set-password`;

/** Shows the link with which a user sets a password. The token is in the fragment, which browsers send to no server. */
export const openPasswordLink = (name: string, reset?: PasswordResetResponse, onClose?: () => void): void =>
  openSecret({
    what: 'link',
    label: 'Password link',
    value: `${window.location.origin}${setPasswordPath}#${reset?.token}`,
    hint: `Send it to ${name} over a secure channel. It sets a password once, within 24 hours.`,
    onClose,
  });

export const passwordLinkAction = ({ _id: userId, name }: UserResponse): RowAction =>
  withConfirmation({
    label: 'Create password link',
    hint: 'With the link they set a new password, which ends their sessions. A second factor stays. Earlier links stop working now.',
    subject: name,
    send: async () => openPasswordLink(name, (await createPasswordReset({ path: { userId } })).data),
  });
