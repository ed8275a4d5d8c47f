import type { INestApplicationContext } from '@nestjs/common';
import { isDisabled } from '../common/disabled.js';
import { PasswordsService } from '../users/passwords.service.js';
import { SuperAdminsService } from '../users/super-admins.service.js';
import { UsersService } from '../users/users.service.js';
import type { AdminCommand } from './admin-arguments.js';

const operator = { system: 'operator' } as const;

/**
 * Does what an operator wants, on an open database.
 * @param password the new one; only `disable-user` needs none
 * @returns what was done, in one line
 * @throws ServiceError 40407 for an unknown user, 40901 where the email is taken
 */
export async function act(app: INestApplicationContext, command: AdminCommand, password: string): Promise<string> {
  const { email } = command;
  if (command.name === 'create-super-admin') {
    await app.get(SuperAdminsService).create(operator, { name: command.userName, email, password });
    return `The super admin ${email} was made`;
  }
  const users = app.get(UsersService);
  const user = await users.getByEmail(email);
  if (command.name === 'reset-password') {
    await app.get(PasswordsService).reset(operator, String(user._id), password);
    const still = isDisabled(user) ? '; the user is still disabled' : '';
    return `The password of ${email} was reset: every login of before is over${still}`;
  }
  if (isDisabled(user)) return `The user ${email} was disabled before`;
  await users.disable(operator, String(user._id));
  return `The user ${email} was disabled`;
}
