import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { StartError } from '../common/config/configuration.js';

/**
 * Starts the application and listens. By itself instead of through Nest, which would log what is told here, too.
 * @param host the address to listen on
 * @param port 0: any free one
 * @returns the address that it listens on, as a URL
 * @throws StartError where it cannot listen there
 */
export async function listen(app: NestExpressApplication, host: string, port: number): Promise<string> {
  await app.init();
  const server = app.getHttpServer();
  const listening = once(server, 'listening');
  server.listen(port, host);
  await listening.catch((error: unknown) => {
    throw new StartError(reasonOf(error as NodeJS.ErrnoException, host, port), { cause: error });
  });
  return urlOf(server.address() as AddressInfo);
}

function reasonOf({ code, message }: NodeJS.ErrnoException, host: string, port: number): string {
  if (code === 'EADDRINUSE') return `Port ${port} of ${host} is in use; choose another one with PORT.`;
  return `The server cannot listen on port ${port} of ${host} (PORT, HOST): ${message}`;
}

function urlOf({ address, family, port }: AddressInfo): string {
  return family === 'IPv6' ? `http://[${address}]:${port}` : `http://${address}:${port}`;
}
