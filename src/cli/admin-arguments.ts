import { parseArgs } from 'node:util';
import { emailProblem } from '../common/validation/fields.js';
import { textProblem, trim } from '../common/validation/text.js';
import { StartError } from '../common/config/configuration.js';

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

const commands = {
  'create-super-admin': ['email', 'name', 'password-file'],
  'reset-password': ['email', 'password-file'],
  'disable-user': ['email'],
} as const;

/** A command of an operator. */
export interface AdminCommand {
  readonly name: keyof typeof commands;
  readonly email: string;
  /** The name of a user to be created. */
  readonly userName: string;
  readonly passwordFile: string | undefined;
}

/**
 * Parses the arguments after `npm run admin --`.
 * @throws StartError that says what is wrong, never with a value that could be a secret
 */
export function parseCommand([name = '', ...rest]: readonly string[]): AdminCommand {
  if ([name, ...rest].some((argument) => /^--password(=|$)/.test(argument))) {
    throw new StartError(
      'There is no --password: what stands on a command line can be read by others on this machine, and stays in the ' +
        "shell's history. Let yourself be asked on the terminal, or name a file with --password-file.",
    );
  }
  if (!isCommand(name)) throw usageError(name === '' ? 'Which command?' : 'There is no such command.');
  const { email, name: userName = 'Super admin', 'password-file': passwordFile } = parseOptions(name, rest);
  if (email === undefined) throw usageError('--email is missing: whom is it about?');
  const command = { name, email: email.trim().toLowerCase(), userName: userName.trim(), passwordFile };
  const problem =
    optionProblem('email', emailProblem(command.email)) ??
    optionProblem('name', textProblem(trim(userName), { max: 120 }));
  if (problem !== undefined) throw new StartError(problem);
  return command;
}

function isCommand(name: string): name is AdminCommand['name'] {
  return Object.hasOwn(commands, name);
}

function parseOptions(name: AdminCommand['name'], rest: string[]): Readonly<Record<string, string | undefined>> {
  const options = Object.fromEntries(commands[name].map((option) => [option, { type: 'string' as const }]));
  try {
    return parseArgs({ args: rest, options }).values;
  } catch (error) {
    // Node's message would repeat a stray argument, such as a password in the wrong place.
    const known = commands[name].map((option) => `--${option}`).join(', ');
    throw usageError(`${name} takes ${known}, each with a value, and nothing else.`, error);
  }
}

function optionProblem(option: string, problem: string | undefined): string | undefined {
  return problem && `--${option} ${problem}`;
}

function usageError(message: string, cause?: unknown): StartError {
  return new StartError(`${message}\n\n${adminUsage}`, { cause });
}
