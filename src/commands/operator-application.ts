import type { DynamicModule, INestApplicationContext, LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { StartError } from '../config/start-error.js';
import { DatabaseService } from '../database/database.service.js';

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

/** What an operator's command works with. */
export interface OperatorApplication {
  readonly app: INestApplicationContext;
  readonly database: DatabaseService;
}

/**
 * Does some work on the open database, and closes all again.
 * @param module what the work needs of the application
 * @param opening whether a database may hold the half of an import
 * @throws StartError where the database cannot be reached, or is another server's embedded one
 */
export async function onDatabase<T>(
  module: DynamicModule,
  work: (application: OperatorApplication) => Promise<T>,
  opening: { readonly evenUnfinished?: boolean } = {},
): Promise<T> {
  const app = await NestFactory.createApplicationContext(module, { logger: new OperatorLogger(), abortOnError: false });
  const database = app.get(DatabaseService);
  try {
    await Promise.race([database.open(opening), outOfPatience(database)]);
    return await work({ app, database });
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
