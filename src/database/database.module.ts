import { Global, Module } from '@nestjs/common';
import { getConnectionToken } from '@nestjs/mongoose';
import { createConnection } from 'mongoose';
import { ClockOffset } from './clock-offset.js';
import { DatabaseMetrics } from './monitoring.js';
import { DatabaseService } from './database.service.js';
import { FollowedChanges } from './followed-changes.js';
import { RecordChanges } from './record-changes.js';
import { Transactions } from './transaction.js';

/**
 * The one connection. It is made unopened, so that the server can start and say what it waits for while the
 * database is away; `DatabaseService.open` opens it.
 */
@Global()
@Module({
  providers: [
    { provide: getConnectionToken(), useFactory: () => createConnection() },
    ClockOffset,
    DatabaseMetrics,
    DatabaseService,
    FollowedChanges,
    RecordChanges,
    Transactions,
  ],
  exports: [ClockOffset, getConnectionToken(), DatabaseService, FollowedChanges, RecordChanges, Transactions],
})
export class DatabaseModule {}
