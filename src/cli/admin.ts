import '../config/node-version.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { type INestApplicationContext, type LoggerService, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AuditModule } from '../modules/audit/audit.module.js';
import { GlobalModule } from '../global.module.js';
import { isDisabled } from '../modules/users/user.rules.js';
import { unconditional } from '../access/request-context.js';
import { ServiceError } from '../errors/service-error.js';
import { type Configuration, exitWithError, readConfiguration, StartError } from '../config/configuration.js';
import { isDatabaseUnavailable } from '../database/database-error.js';
import { databaseUriProblem } from '../database/connection-options.js';
import { DatabaseModule } from '../database/database.module.js';
import { DatabaseService } from '../database/database.service.js';
import { startMongodb } from '../lifecycle/start-mongodb.js';
import { ChangesProjector } from '../modules/changes/changes.projector.js';
import { ErasureModule } from '../modules/erasure/erasure.module.js';
import type { Mentions } from '../modules/erasure/erasure.dto.js';
import { OrganizationEraser } from '../modules/erasure/organization-eraser.js';
import { PlayerPrivacyService } from '../modules/erasure/player-privacy.service.js';
import { OrganizationsService } from '../modules/organizations/organizations.service.js';
import { SecondFactorService } from '../modules/users/second-factor.service.js';
import { UserRecord } from '../modules/users/user.schema.js';
import { UsersModule } from '../modules/users/users.module.js';
import { UsersService } from '../modules/users/users.service.js';
import { type AdminCommand, adminUsage, parseCommand } from './admin-arguments.js';
import { readLine, readPassword } from './password-input.js';

/** A server retries forever at its start; a command does not, since an operator is waiting. */
const connectMilliseconds = 10_000;
const operator = { system: 'cli', ...unconditional } as const;

type UserCommand = Extract<AdminCommand, { readonly email: string }>;
type RecordCommand = Exclude<AdminCommand, UserCommand>;

const isUserCommand = (command: AdminCommand): command is UserCommand => 'email' in command;

/** The modules that every command needs, without anything that serves requests. */
@Module({ imports: [DatabaseModule, AuditModule] })
class AdminApplication {}

const print = (message: unknown): void => void process.stderr.write(`${String(message)}\n`);
/** Logs problems and the progress of the database to standard error. Standard output contains only the result. */
const logger: LoggerService = {
  log: (message: unknown, context?: unknown) => (context === 'Database' ? print(message) : undefined),
  warn: print,
  error: print,
};

/** `npm run admin -- …`: commands of operators that change users, and export and erase data, in the server's database. */
async function main(args: readonly string[]): Promise<string> {
  if (args.includes('--help') || args.includes('-h')) return adminUsage;
  const command = parseCommand(args);
  const configuration = readConfiguration(databaseUriProblem);
  const terminal = { input: process.stdin, output: process.stderr };
  const needsPassword = command.name === 'create-super-admin' || command.name === 'reset-password';
  let typed = '';
  if (needsPassword) typed = await readPassword(command.passwordFile, terminal);
  if (command.name === 'erase-organization') typed = await readLine('Name of the organization to erase: ', terminal);
  return `${await runWithDatabase(configuration, command, typed)}\n`;
}

/**
 * Runs a command that exports or erases on an open database.
 * @param name the name of the organization to erase
 * @returns what is written to standard output
 * @throws ServiceError 40403 for an unknown player; 40406, 40001 or 40910 for the organization
 */
async function runOnRecords(app: INestApplicationContext, command: RecordCommand, name: string): Promise<string> {
  const { organizationId } = command;
  if (command.name === 'erase-organization') {
    await app.get(OrganizationsService).startErasure(operator, command.organizationId, name);
    print('The erasure takes at least 30 s. If you interrupt it, a server completes it.');
    app.get(ChangesProjector).start();
    while ((await app.get(OrganizationEraser).eraseMarked()).includes(command.organizationId)) await sleep(1_000);
    return `Erased the organization ${command.organizationId}.`;
  }
  const { playerId } = command;
  if (command.name === 'export-player')
    return JSON.stringify(await app.get(PlayerPrivacyService).export(operator, playerId, organizationId), null, 2);
  const { rows, mentions } = await app.get(PlayerPrivacyService).erase(operator, playerId, organizationId);
  const erased = `Erased the player ${playerId}, and replaced the name in ${rows} rows of statistics.`;
  return [erased, ...linesOf(mentions)].join('\n');
}

/** Says which texts still contain an erased name. */
function linesOf(mentions: Mentions | undefined): string[] {
  if (mentions === undefined) return ['Other texts were not searched for the name.'];
  const { data, total } = mentions;
  const listed = total > data.length ? ` The first ${data.length}:` : '';
  const lines = data.map(({ kind, id, field }) => `${kind} ${id}: ${field}`);
  return [`The name still stands in ${total} other ${total === 1 ? 'text' : 'texts'}.${listed}`, ...lines];
}

/**
 * Runs a command that changes a user on an open database.
 * @returns one line that reports the result
 * @throws ServiceError 40407 for an unknown user, 40901 if the email is taken
 */
async function runOnUser(app: INestApplicationContext, command: UserCommand, password: string): Promise<string> {
  const { email } = command;
  const users = app.get(UsersService);
  if (command.name === 'create-super-admin') {
    await users.createSuperAdmin(operator, { name: command.userName, email, password });
    return `Created the super admin ${email}.`;
  }
  const user = await users.getByEmail(email);
  if (command.name === 'reset-password') {
    await users.resetPassword(operator, String(user._id), password);
    const hint = isDisabled(user) ? ' The user is still disabled.' : '';
    return `Reset the password of ${email}. All earlier logins have ended.${hint}`;
  }
  if (command.name === 'reset-second-factor') {
    if (user.secondFactor === undefined) return `The user ${email} has no second factor.`;
    await app.get(SecondFactorService).remove(operator, 'resetSecondFactor', user);
    return `Removed the second factor of ${email}. All earlier logins have ended.`;
  }
  if (isDisabled(user)) return `The user ${email} is already disabled.`;
  await users.disable(operator, String(user._id));
  return `Disabled the user ${email}.`;
}

/**
 * Opens the database, creates the indexes of users, runs the command, and closes everything.
 * @throws StartError if the database is unreachable or is not a replica set
 */
async function runWithDatabase(configuration: Configuration, command: AdminCommand, typed: string): Promise<string> {
  const records = isUserCommand(command) ? UsersModule : ErasureModule;
  const module = { module: AdminApplication, imports: [GlobalModule.of(configuration), records] };
  const app = await NestFactory.createApplicationContext(module, { logger, abortOnError: false });
  const database = app.get(DatabaseService);
  const mongodb = await startMongodb(configuration);
  try {
    const isOpen = database.open(mongodb.uri).then(() => true);
    if (!(await Promise.race([isOpen, sleep(connectMilliseconds, false, { ref: false })])))
      throw new StartError('Nothing was changed: MongoDB is unreachable; check MONGODB_URI');
    if (!isUserCommand(command)) return await runOnRecords(app, command, typed);
    // Not of other models: without the server's variables, it would change how long their records are kept.
    if (configuration.database.ensureIndexes) await database.ensureIndexes([UserRecord.name]);
    return await runOnUser(app, command, typed);
  } finally {
    await app.close();
    await database.close();
    await mongodb.stop();
  }
}

/** Converts expected errors to one line without a stack. */
function toStartError(error: unknown): unknown {
  if (error instanceof ServiceError) return new StartError(error.message, { cause: error });
  if (!isDatabaseUnavailable(error)) return error;
  return new StartError(`MongoDB is unreachable: ${(error as Error).message}`, { cause: error });
}

process.on('unhandledRejection', exitWithError);
try {
  process.stdout.write(await main(process.argv.slice(2)));
} catch (error) {
  exitWithError(toStartError(error));
}
