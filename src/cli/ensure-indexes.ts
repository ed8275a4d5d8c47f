import '../config/node-version.js';
import { NestFactory } from '@nestjs/core';
import { AppModule } from '../app.module.js';
import { createLogger, LogOutput, PinoLoggerService } from '../observability/logger.js';
import { exitWithError, readConfiguration } from '../config/configuration.js';
import { databaseUriProblem } from '../database/connection-options.js';
import { DatabaseService } from '../database/database.service.js';
import { runMigrations } from '../database/migrations/run-migrations.js';
import { startMongodb } from '../lifecycle/start-mongodb.js';

/** `npm run db:indexes`: creates every index and runs the migrations, for servers that start with DB_ENSURE_INDEXES=false. */
process.on('uncaughtException', exitWithError);
const configuration = readConfiguration(databaseUriProblem);
const logger = createLogger(configuration.logLevel, new LogOutput());
const app = await NestFactory.createApplicationContext(AppModule.of(configuration), {
  logger: new PinoLoggerService(logger),
});
const database = app.get(DatabaseService);
const mongodb = await startMongodb(configuration);
try {
  await database.open(mongodb.uri);
  await database.ensureIndexes();
  await runMigrations(database);
  logger.info('All indexes exist, and all migrations are complete');
} finally {
  await app.close();
  await database.close();
  await mongodb.stop();
}
