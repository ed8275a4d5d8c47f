import { readConfiguration } from '../config/configuration.js';
import { exitWithError } from '../config/start-error.js';
import { databaseUriFault } from '../database/database-uri.js';
import { act } from './admin-actions.js';
import { onUsers } from './admin-application.js';
import { adminUsage, readArguments } from './admin-arguments.js';
import { forPeople } from './for-people.js';
import { readPassword } from './password-input.js';

/** `npm run admin -- …`: what operators do to users at a command line, on the server's database. */
async function main(given: readonly string[]): Promise<string> {
  if (given.some((argument) => argument === '--help' || argument === '-h')) return adminUsage;
  const command = readArguments(given);
  const configuration = readConfiguration({ MONGODB_URI: databaseUriFault });
  const answering = { input: process.stdin, output: process.stderr };
  const password = command.name === 'disable-user' ? '' : await readPassword(command.passwordFile, answering);
  return `${await onUsers(configuration, (app) => act(app, command, password))}\n`;
}

process.on('unhandledRejection', exitWithError);
try {
  process.stdout.write(await main(process.argv.slice(2)));
} catch (error) {
  exitWithError(forPeople(error));
}
