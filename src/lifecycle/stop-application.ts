import { setImmediate as roundOfReading, setTimeout as sleep } from 'node:timers/promises';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { KeyUsage } from '../api-keys/key-usage.js';
import { OpenConnections } from '../common/http/open-connections.js';
import { OpenResponses } from '../common/http/open-responses.js';
import { DatabaseService } from '../database/database.service.js';
import { Readiness } from '../health/readiness.js';
import type { TellStep } from './stop-on-signals.js';

/** How long running requests may take to end, in milliseconds. */
const longestRequests = 10_000;
/** How often it is looked for connections that have become idle, in milliseconds. */
const sweepMilliseconds = 50;

/**
 * Stops in order: not ready, no new requests, those that run end, what is buffered is written, the database closes.
 * @param delay for how long requests are still taken while the server says that it is not ready, in milliseconds; a
 * server that was never ready is sent none, and does not wait
 * @param tell gets each step
 */
export async function stopApplication(app: NestExpressApplication, delay: number, tell: TellStep): Promise<void> {
  const readiness = app.get(Readiness);
  const wasReady = readiness.isStarted;
  readiness.stopping();
  // Connections that are kept alive end with their next answer.
  app.get(OpenResponses).endConnections();
  // Written again at the end; now for whoever loses patience and kills this process.
  void app.get(KeyUsage).flush();
  if (wasReady && delay > 0) await sleep(delay);
  tell('running requests');
  await endRequests(app);
  try {
    tell('what is still to be written');
    await app.close();
  } finally {
    tell('the database');
    await app.get(DatabaseService).close();
  }
}

/** Takes no new connections, and resolves when all are closed: by themselves, or after ten seconds. */
async function endRequests(app: NestExpressApplication): Promise<void> {
  const server = app.getHttpServer();
  const connections = app.get(OpenConnections);
  // Connections and requests that have arrived are not lost because they were not read yet.
  await roundOfReading();
  const sweeping = setInterval(() => setImmediate(() => connections.closeIdle(server)), sweepMilliseconds);
  const late = setTimeout(() => connections.closeAll(), longestRequests);
  // One that does not listen, as it was told to stop before, says so and is closed, too.
  await new Promise<void>((resolve) => server.close(() => resolve()));
  clearInterval(sweeping);
  clearTimeout(late);
}
