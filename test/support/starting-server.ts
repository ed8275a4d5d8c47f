import request from 'supertest';
import { freePort } from './mongod-process.js';
import { eventually } from './processes.js';
import { ServerProcess } from './server-process.js';

/** Starts a server that cannot become ready yet, and runs an action as soon as it listens. */
export async function withStartingServer(
  environment: Record<string, string>,
  work: (url: string, server: ServerProcess) => Promise<void>,
): Promise<void> {
  const port = await freePort();
  const server = await ServerProcess.spawn({ PORT: String(port), ...environment });
  const url = `http://127.0.0.1:${port}`;
  const listens = () =>
    request(url)
      .get('/health/live')
      .then(Boolean, () => false);
  try {
    await eventually('the server listens', listens, 30);
    await work(url, server);
  } finally {
    await server.remove('SIGKILL');
  }
}
