import { Logger } from '@nestjs/common';
import { type Configuration, StartError } from '../config/configuration.js';
import type { MongodbServer } from '../dev/embedded-mongod/embedded-mongod.js';

/**
 * Returns the MongoDB of `MONGODB_URI`, or starts the embedded one.
 * @param signal aborts the start of a server. A command has none, and uses the embedded one of a running server.
 * @throws StartError if the embedded MongoDB cannot be started
 */
export async function startMongodb(configuration: Configuration, signal?: AbortSignal): Promise<MongodbServer> {
  const { dataFolder, database } = configuration;
  if (database.uri !== undefined) return { uri: database.uri, stop: () => Promise.resolve() };
  const logger = new Logger('Database');
  // Not loaded if MONGODB_URI is set.
  const { findRunningMongod, startEmbeddedMongod } = await import('../dev/embedded-mongod/embedded-mongod.js');
  const running = signal === undefined ? await findRunningMongod(dataFolder) : undefined;
  if (running !== undefined) return { uri: running, stop: () => Promise.resolve() };
  const progress = (line: string): void => logger.log(line);
  const options = { dataFolder, mongodBinary: database.mongodBinary, progress, signal };
  return startEmbeddedMongod(options).catch((cause: unknown) => {
    throw new StartError(`The embedded database cannot be started: ${(cause as Error).message}`, { cause });
  });
}
