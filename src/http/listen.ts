import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { StartError } from '../config/configuration.js';

/** Connections that the system keeps until they are accepted: Node's default of 511 is full after one burst. */
const maxPendingConnections = 4_096;

/**
 * Starts the application and listens. Replaces `app.listen`, which would also log the error with a stack trace.
 * @param port 0 for any free port
 * @returns the URL of the address
 * @throws StartError if the address cannot be used
 */
export async function listen(app: NestExpressApplication, host: string, port: number): Promise<string> {
  await app.init();
  const server = app.getHttpServer();
  const listening = once(server, 'listening');
  server.listen(port, host, maxPendingConnections);
  await listening.catch((error: unknown) => {
    throw new StartError(reasonOf(error as NodeJS.ErrnoException, host, port), { cause: error });
  });
  return urlOf(server.address() as AddressInfo);
}

function reasonOf({ code, message }: NodeJS.ErrnoException, host: string, port: number): string {
  if (code === 'EADDRINUSE') return `Port ${port} on ${host} is in use. Set PORT to another port.`;
  return `Cannot listen on port ${port} of ${host}: ${message}. Check PORT and HOST.`;
}

function urlOf({ address, family, port }: AddressInfo): string {
  return family === 'IPv6' ? `http://[${address}]:${port}` : `http://${address}:${port}`;
}
