import { AppModule } from '../app.module.js';
import { readConfiguration } from '../config/configuration.js';
import { fail } from '../config/fail.js';
import { databaseUriFault } from '../database/database-uri.js';
import { exportDatabase } from '../database/transfer/export-database.js';
import { documentsOf } from '../database/transfer/export-format.js';
import { forPeople } from './for-people.js';
import { onDatabase } from './operator-application.js';
import { exportUsage, readExportArguments, type TransferArguments } from './transfer-arguments.js';
import { intoFile } from './transfer-file.js';

/** `npm run db:export -- <file>`: writes all data of the database into a file. */
async function exportTo({ file, leftOut }: TransferArguments): Promise<string> {
  const configuration = readConfiguration({ MONGODB_URI: databaseUriFault });
  return onDatabase(AppModule.of(configuration), async ({ database }) => {
    const atOneMoment = database.hasTransactions;
    if (!atOneMoment) {
      process.stderr.write('No replica set: what is written during the export makes it fail, or is missing from it\n');
    }
    const options = { known: database.collections, leftOut, atOneMoment };
    const header = await intoFile(file, (sink) =>
      database.withPatience((connection) => exportDatabase(connection, options, sink)),
    );
    const parts = header.collections.map(({ name, documents }) => `${name} ${documents}`).join(', ');
    return `${documentsOf(header)} documents were exported: ${parts}\n`;
  });
}

process.on('unhandledRejection', fail);
try {
  const given = readExportArguments(process.argv.slice(2));
  const said = given === undefined ? exportUsage : await exportTo(given);
  // Standard output may be the file.
  (given?.file === '-' ? process.stderr : process.stdout).write(said);
} catch (error) {
  fail(forPeople(error));
}
