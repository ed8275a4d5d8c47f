import { parseArgs } from 'node:util';
import { emailProblem, isRecordId } from '../validation/fields.js';
import { textProblem, trim } from '../validation/text.js';
import { StartError } from '../config/configuration.js';

export const adminUsage = `Usage: npm run admin -- <command> [options]

  create-super-admin --email E [--name N] [--password-file F]
      creates a user with all permissions
  reset-password --email E [--password-file F]
      sets a user's password and ends all their logins
  reset-second-factor EMAIL
      removes a user's second factor, such as a lost device, and ends all their logins
  disable-user --email E
      ends a user's logins, and disables the API keys of an organization that they created
  erase-player ID [ORGANIZATION]
      erases a player, including from statistics; the ID of the organization is required if the record is already erased
  export-player ID [ORGANIZATION]
      writes everything that is stored about a player to standard output, as JSON
  erase-organization ID
      erases a disabled organization with all its records, keys and users; reads its name as a confirmation

The password is read from the terminal, or from the file F (- is standard input).
Commands use the database in MONGODB_URI, or else the embedded database in .data/, even while its server runs.
`;

const commands = {
  'create-super-admin': ['email', 'name', 'password-file'],
  'reset-password': ['email', 'password-file'],
  'disable-user': ['email'],
} as const;

export type AdminCommand = ReturnType<typeof parseCommand>;

/**
 * Parses the arguments after `npm run admin --`.
 * @throws StartError for invalid arguments, whose message never contains a value, which could be a secret
 */
export function parseCommand([name = '', ...rest]: readonly string[]) {
  const [first = '', second, third] = rest.map((argument) => argument.toLowerCase());
  if (name === 'erase-player' || name === 'export-player') {
    const isComplete = isRecordId(first) && isRecordId(second ?? first) && third === undefined;
    if (isComplete) return { name, playerId: first, organizationId: second } as const;
    throw usageError(`${name} requires an ID of 24 hexadecimal digits, optionally with that of the organization.`);
  }
  if (name === 'erase-organization') {
    if (isRecordId(first) && second === undefined) return { name, organizationId: first } as const;
    throw usageError(`${name} requires only an ID of 24 hexadecimal digits.`);
  }
  if (name === 'reset-second-factor') {
    const email = first.trim();
    if (emailProblem(email) === undefined && second === undefined) return { name, email } as const;
    throw usageError("reset-second-factor requires a user's email address, and nothing else.");
  }
  if (!isCommand(name)) throw usageError(name === '' ? 'A command is required.' : 'Unknown command.');
  const { email, name: userName = 'Super admin', 'password-file': passwordFile } = parseOptions(name, rest);
  if (email === undefined) throw usageError('--email is required.');
  const command = { name, email: email.trim().toLowerCase(), userName: userName.trim(), passwordFile };
  const problem =
    optionProblem('email', emailProblem(command.email)) ??
    optionProblem('name', textProblem(trim(userName), { max: 120 }));
  if (problem !== undefined) throw new StartError(problem);
  return command;
}

function isCommand(name: string): name is keyof typeof commands {
  return Object.hasOwn(commands, name);
}

function parseOptions(name: keyof typeof commands, rest: string[]): Readonly<Record<string, string | undefined>> {
  const options = Object.fromEntries(commands[name].map((option) => [option, { type: 'string' as const }]));
  try {
    return parseArgs({ args: rest, options }).values;
  } catch (error) {
    // Node's message would contain the unexpected argument, which could be a misplaced password.
    const known = commands[name].map((option) => `--${option}`).join(', ');
    throw usageError(`${name} accepts only ${known}, each with a value.`, error);
  }
}

function optionProblem(option: string, problem: string | undefined): string | undefined {
  return problem && `--${option} ${problem}`;
}

function usageError(message: string, cause?: unknown): StartError {
  return new StartError(`${message}\n\n${adminUsage}`, { cause });
}
