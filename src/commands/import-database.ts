import { AppModule } from '../app.module.js';
import { readConfiguration } from '../config/configuration.js';
import { fail } from '../config/fail.js';
import { databaseUriFault } from '../database/database-uri.js';
import { documentsOf } from '../database/transfer/export-format.js';
import { importDatabase } from '../database/transfer/import-database.js';
import { forPeople } from './for-people.js';
import { onDatabase } from './operator-application.js';
import { importUsage, readImportArguments, type TransferArguments } from './transfer-arguments.js';
import { fromFile } from './transfer-file.js';

/** `npm run db:import -- <file>`: writes an export into an empty database. */
async function importFrom({ file }: TransferArguments): Promise<string> {
  const configuration = readConfiguration({ MONGODB_URI: databaseUriFault });
  return fromFile(file, (open) =>
    onDatabase(
      AppModule.of(configuration),
      async ({ database }) => {
        const makeIndexes = () => database.ensureIndexes();
        const tell = (line: string) => process.stderr.write(`${line}\n`);
        const options = { known: database.collections, open, makeIndexes, tell };
        const header = await database.withPatience((connection) => importDatabase(connection, options));
        const parts = header.collections.map(({ name, documents }) => `${name} ${documents}`).join(', ');
        return `${documentsOf(header)} documents were imported: ${parts}\n`;
      },
      { evenUnfinished: true },
    ),
  );
}

process.on('unhandledRejection', fail);
try {
  const given = readImportArguments(process.argv.slice(2));
  process.stdout.write(given === undefined ? importUsage : await importFrom(given));
} catch (error) {
  fail(forPeople(error));
}
