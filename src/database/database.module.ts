import { Global, Module } from '@nestjs/common';
import { getConnectionToken } from '@nestjs/mongoose';
import { createConnection } from 'mongoose';
import { ChangeStreamService } from './change-stream.service.js';
import { ClockOffset } from './clock-offset.js';
import { DatabaseMetrics } from './database-metrics.js';
import { DatabaseService } from './database.service.js';
import { applyPlugins } from './plugins/apply-plugins.js';
import { Transactions } from './transaction.js';

/**
 * Provides the one connection, which `DatabaseService.open` opens: a server starts even without its database. That of
 * `MongooseModule.forRootAsync` connects while the modules are created, before the embedded database has started, and a
 * failure would end the process.
 */
@Global()
@Module({
  providers: [
    { provide: getConnectionToken(), useFactory: () => applyPlugins(createConnection()) },
    ChangeStreamService,
    ClockOffset,
    DatabaseMetrics,
    DatabaseService,
    Transactions,
  ],
  exports: [ChangeStreamService, ClockOffset, getConnectionToken(), DatabaseService, Transactions],
})
export class DatabaseModule {}
