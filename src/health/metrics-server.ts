import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Metrics } from '../common/metrics/metrics.js';
import { Configuration } from '../config/configuration.js';
import { StartError } from '../config/start-error.js';

const path = '/metrics';
/** How long a reader may take, in milliseconds. */
const patience = 10_000;

/**
 * Serves the metrics on a port of its own, for whoever runs this server and for nobody else. It is there from before the
 * database is, until after the last request.
 */
@Injectable()
export class MetricsServer implements OnApplicationShutdown {
  private readonly logger = new Logger('Metrics');
  private server: Server | undefined;

  constructor(
    private readonly configuration: Configuration,
    private readonly metrics: Metrics,
  ) {}

  /**
   * Begins to listen, unless that is switched off. Where no port was given and the default one is taken, as by another
   * server on the same machine, it goes without.
   * @throws StartError where it cannot listen as it was told to
   */
  async start(): Promise<void> {
    const { metrics } = this.configuration;
    if (metrics === undefined) return;
    const { host, port, given } = metrics;
    const server = createServer({ headersTimeout: patience, requestTimeout: patience }, (request, response) =>
      this.answer(request, response),
    );
    server.listen(port, host);
    try {
      await once(server, 'listening');
    } catch (error) {
      this.giveUp(error as NodeJS.ErrnoException, `${host}:${port}`, given);
      return;
    }
    // What becomes of one connection is its reader's matter.
    server.on('error', () => undefined);
    this.server = server.unref();
    this.metrics.measureProcess();
    const address = `http://${hostInUrl(host)}:${(server.address() as AddressInfo).port}${path}`;
    this.logger.log('Metrics are served', { address });
  }

  /** Closes at once: a reader can come again, and must not hold up the end. */
  onApplicationShutdown(): void {
    this.server?.close();
    this.server?.closeAllConnections();
  }

  private giveUp({ code, message }: NodeJS.ErrnoException, place: string, given: boolean): void {
    if (!given && code === 'EADDRINUSE') {
      this.logger.warn(`Metrics are not served: ${place} is in use; METRICS_PORT names another port, or off`);
      return;
    }
    const reason = code === 'EADDRINUSE' ? 'it is in use' : message;
    throw new StartError(
      `Metrics cannot be served on ${place}: ${reason}. Choose another port with METRICS_PORT, or METRICS_PORT=off.`,
    );
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    response.setHeader('X-Content-Type-Options', 'nosniff');
    if (request.url?.split('?', 1)[0] !== path) end(response, 404, 'Not found');
    else if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('Allow', 'GET, HEAD');
      end(response, 405, 'Method not allowed');
    } else void this.show(response);
  }

  private async show(response: ServerResponse): Promise<void> {
    const { registry } = this.metrics;
    try {
      end(response, 200, await registry.metrics(), registry.contentType);
    } catch (error) {
      this.logger.error('Metrics could not be read', error);
      end(response, 500, 'Metrics could not be read');
    }
  }
}

function end(response: ServerResponse, status: number, text: string, type = 'text/plain; charset=utf-8'): void {
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(text) });
  response.end(text);
}

function hostInUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
