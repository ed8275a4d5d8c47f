import { type DynamicModule, type INestApplicationContext, Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { ClockModule } from '../common/clock.module.js';
import { MetricsModule } from '../common/metrics/metrics.module.js';
import { SecretsModule } from '../common/secrets/secrets.module.js';
import { ConfigModule } from '../config/config.module.js';
import type { Configuration } from '../config/configuration.js';
import { StartError } from '../config/start-error.js';
import { DatabaseModule } from '../database/database.module.js';
import { UsersModule } from '../users/users.module.js';
import { onDatabase } from './operator-application.js';

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
export function onUsers<T>(
  configuration: Configuration,
  work: (app: INestApplicationContext) => Promise<T>,
): Promise<T> {
  return onDatabase(AdminApplication.of(configuration), async ({ app, database }) => {
    if (!database.hasTransactions)
      throw new StartError('Nothing was changed: users can be written to a replica set only');
    if (configuration.database.ensureIndexes) await database.ensureIndexes();
    return work(app);
  });
}
