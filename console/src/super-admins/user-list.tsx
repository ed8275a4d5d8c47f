import type { UseQueryResult } from '@tanstack/react-query';
import { useSelector } from '@tanstack/react-store';
import { resetSecondFactor, updateUser } from '../api/generated/sdk.gen';
import type { PasswordResetResponse, UserResponse } from '../api/generated/types.gen';
import { sessionAtom } from '../api/session';
import { openForm, withConfirmation } from '../components/dialog';
import { actionsColumn, type Column, QueryList } from '../components/list';
import { Time } from '../components/time';
import { ownFactorFields } from '../account/second-factor';
import { AccountStatus, type EmptyText, type Problem, type RowAction } from '../components/ui';
import { openPasswordLink, passwordLinkAction } from './password-link';

interface UserListProps {
  label: string;
  query: UseQueryResult<{ data: readonly UserResponse[]; total: number }, Problem>;
  /** What these users differ in. */
  column: Column<UserResponse>;
  empty: EmptyText;
}

/** Users, with everything that can be done with a user. */
export function UserList({ column, ...list }: UserListProps) {
  const { email: own } = useSelector(sessionAtom);
  const columns: Column<UserResponse>[] = [
    [
      'Name',
      ({ name, email }) => (
        <span className="break">
          <strong>{name}</strong>
          {email === own && ' (you)'}
        </span>
      ),
    ],
    ['Email', ({ email }) => <span className="break wide">{email}</span>],
    column,
    ['Created', ({ createdAt }) => <Time value={createdAt} as="date" />, 'nowrap'],
    ['Status', ({ disabled }) => <AccountStatus disabled={disabled} />],
    // Nobody can disable themselves or use a link instead of the current password.
    actionsColumn((user) => [user.name, ...(user.email === own ? [] : actionsOf(user))]),
  ];
  return <QueryList {...list} columns={columns} rowKey={({ _id }) => _id} isPaged />;
}

const enable = {
  label: 'Enable user',
  hint: 'They can sign in again. Earlier sessions stay signed out.',
  notice: 'The user is enabled and can sign in again.',
};

const disable = {
  label: 'Disable user',
  hint: 'They are signed out immediately and cannot sign in until you enable them again.',
  notice: 'The user is disabled.',
  isDangerous: true,
};

const disableCreator = {
  ...disable,
  hint: 'They are signed out immediately and cannot sign in. All keys of the organization stop working too.',
};

function actionsOf(user: UserResponse): RowAction[] {
  const { _id: userId, name, role, disabled } = user;
  const toggle = withConfirmation({
    ...(disabled ? enable : role === 'organizationCreator' ? disableCreator : disable),
    subject: name,
    send: () => updateUser({ path: { userId }, body: { disabled: !disabled } }),
  });
  const reset = {
    label: 'Reset second factor',
    onClick: () => openReset(user),
  };
  return [...(disabled ? [] : [passwordLinkAction(user)]), ...(user.hasSecondFactor ? [reset] : []), toggle];
}

const openReset = ({ _id: userId, name }: UserResponse): string =>
  openForm({
    title: `Reset second factor: ${name}`,
    submitLabel: 'Reset second factor',
    hint: 'For someone who has lost their device: make sure that it is they who ask. They are signed out, sign in with their password, and can set up another one. Confirm with your own password and code.',
    notice: 'The second factor is removed.',
    isDangerous: true,
    fields: ownFactorFields,
    send: (body) => resetSecondFactor({ path: { userId }, body }),
  });

type NewUser = Record<'name' | 'email', string>;

/** Opens a form that creates a user, and then shows the link with which they set a password. */
export const openCreateUser = (
  title: string,
  create: (body: NewUser) => Promise<{ passwordReset?: PasswordResetResponse }>,
): string =>
  openForm({
    title,
    hint: 'They set their own password with a link, which you get in the next step.',
    fields: { name: { label: 'Name' }, email: { label: 'Email', type: 'email' } },
    send: async (body) => openPasswordLink(body.name, (await create(body)).passwordReset),
  });
