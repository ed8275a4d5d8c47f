import { parseArgs } from 'node:util';
import { emailProblem } from '../common/validation/fields.js';
import { textProblem, trimmed } from '../common/validation/text.js';
import { StartError } from '../config/start-error.js';

export const adminUsage = `Usage: npm run admin -- <command> --email E [options]

  create-super-admin --email E [--name N] [--password-file F]
      makes a user who may do everything
  reset-password --email E [--password-file F]
      sets a user's password; every login of theirs ends
  disable-user --email E
      ends a user's logins, and the keys of an organization that they created

The password is asked for on the terminal, or read from the file F (- is standard input).
It works on the database of MONGODB_URI; without one, on the embedded database in .data/ while no server runs.
`;

/** What an operator wants. */
export type AdminCommand =
  | {
      readonly name: 'create-super-admin';
      readonly email: string;
      readonly userName: string;
      readonly passwordFile?: string;
    }
  | { readonly name: 'reset-password'; readonly email: string; readonly passwordFile?: string }
  | { readonly name: 'disable-user'; readonly email: string };

type Option = 'email' | 'name' | 'password-file';

const optionsOf: Record<AdminCommand['name'], readonly Option[]> = {
  'create-super-admin': ['email', 'name', 'password-file'],
  'reset-password': ['email', 'password-file'],
  'disable-user': ['email'],
};

/**
 * Reads what stands behind `npm run admin --`.
 * @throws StartError that says what is wrong with it, never with a value that could be a secret
 */
export function readArguments([name = '', ...rest]: readonly string[]): AdminCommand {
  if ([name, ...rest].some((argument) => /^--password(=|$)/.test(argument))) {
    throw new StartError(
      'There is no --password: what stands on a command line can be read by others on this machine, and stays in the ' +
        "shell's history. Let yourself be asked on the terminal, or name a file with --password-file.",
    );
  }
  if (!isCommand(name)) throw misused(name === '' ? 'Which command?' : 'There is no such command.');
  const values = valuesOf(name, rest);
  const email = emailOf(values.email);
  const passwordFile = values['password-file'];
  const file = passwordFile === undefined ? {} : { passwordFile };
  if (name === 'create-super-admin')
    return { name, email, userName: userNameOf(values.name ?? 'Super admin'), ...file };
  return name === 'reset-password' ? { name, email, ...file } : { name, email };
}

function isCommand(name: string): name is AdminCommand['name'] {
  return Object.hasOwn(optionsOf, name);
}

function valuesOf(name: AdminCommand['name'], rest: string[]): Readonly<Partial<Record<Option, string>>> {
  const options = Object.fromEntries(optionsOf[name].map((option) => [option, { type: 'string' as const }]));
  try {
    return parseArgs({ args: rest, options, strict: true, allowPositionals: false }).values;
  } catch (error) {
    // Node's own words would repeat an argument that stands alone, as a password in a wrong place does.
    const known = optionsOf[name].map((option) => `--${option}`).join(', ');
    throw misused(`${name} takes ${known}, each with a value, and nothing else.`, error);
  }
}

function emailOf(value: string | undefined): string {
  if (value === undefined) throw misused('--email is missing: whom is it about?');
  const email = value.trim().toLowerCase();
  const problem = emailProblem(email);
  if (problem !== undefined) throw new StartError(`--email ${problem}`);
  return email;
}

function userNameOf(value: string): string {
  const problem = textProblem(trimmed(value), { max: 120 });
  if (problem !== undefined) throw new StartError(`--name ${problem}`);
  return value.trim();
}

function misused(what: string, cause?: unknown): StartError {
  return new StartError(`${what}\n\n${adminUsage}`, { cause });
}
