import { type DynamicModule, type INestApplicationContext, type LoggerService, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AuditModule } from '../audit/audit.module.js';
import { ClockModule } from '../common/clock.js';
import { MetricsModule } from '../common/metrics/metrics.js';
import { SecretsModule } from '../common/secrets/secrets.module.js';
import { ConfigModule, type Configuration } from '../config/configuration.js';
import { StartError } from '../config/start-error.js';
import { DatabaseModule } from '../database/database.module.js';
import { DatabaseService } from '../database/database.service.js';
import { UsersModule } from '../users/users.module.js';

/** Nobody waits at a command line as long as a server does at its start. */
const patienceMilliseconds = 10_000;

/** Tells an operator what happens on the way, on standard error: standard output has the outcome alone. */
class OperatorLogger implements LoggerService {
  /** Of what a server would log, only the database's progress (a download, a wait) concerns an operator. */
  log(message: unknown, place?: unknown): void {
    if (place === 'Database') this.tell(message);
  }

  /** How a server would count its requests concerns nobody here. */
  warn(message: unknown, ...more: unknown[]): void {
    if (more.at(-1) !== 'RateLimit') this.tell(message);
  }

  error(message: unknown): void {
    this.tell(message);
  }

  private tell(message: unknown): void {
    process.stderr.write(`${String(message)}\n`);
  }
}

/** What the commands need of the application: users and the database, and nothing that serves. */
@Module({ imports: [ClockModule, MetricsModule, SecretsModule, DatabaseModule, AuditModule, UsersModule] })
class AdminApplication {
  static of(configuration: Configuration): DynamicModule {
    return { module: AdminApplication, imports: [ConfigModule.of(configuration)] };
  }
}

/**
 * Does some work on users, on the open database with its indexes, and closes all again.
 * @throws StartError where the database cannot be reached, is another server's embedded one, or cannot take the work
 */
export async function onUsers<T>(
  configuration: Configuration,
  work: (app: INestApplicationContext) => Promise<T>,
): Promise<T> {
  const options = { logger: new OperatorLogger(), abortOnError: false };
  const app = await NestFactory.createApplicationContext(AdminApplication.of(configuration), options);
  const database = app.get(DatabaseService);
  try {
    await Promise.race([database.open(), outOfPatience(database)]);
    if (!database.hasTransactions)
      throw new StartError('Nothing was changed: users can be written to a replica set only');
    if (configuration.database.ensureIndexes) await database.ensureIndexes();
    return await work(app);
  } finally {
    await app.close();
    await database.close();
  }
}

/** Never ends well. An embedded database may have to be fetched first, and is waited for as long as that takes. */
function outOfPatience(database: DatabaseService): Promise<never> {
  if (database.isEmbedded) return new Promise(() => undefined);
  return new Promise((_resolve, reject) => {
    const late = () => reject(new StartError('The database cannot be reached: nothing was changed'));
    setTimeout(late, patienceMilliseconds).unref();
  });
}
