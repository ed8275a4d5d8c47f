import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Metrics } from '../../observability/metrics.js';
import { Configuration, StartError } from '../../config/configuration.js';

const path = '/metrics';
const maxRequestMilliseconds = 10_000;

/** Serves the metrics on their own port, from before the database connection until after the last request. */
@Injectable()
export class MetricsServer implements OnApplicationShutdown {
  private readonly logger = new Logger('Metrics');
  private server: Server | undefined;

  constructor(
    private readonly configuration: Configuration,
    private readonly metrics: Metrics,
  ) {}

  /**
   * Listens unless metrics are turned off. If METRICS_PORT is not set and the default port is in use, metrics are not
   * served.
   * @throws StartError if it cannot listen on the configured port
   */
  async start(): Promise<void> {
    const { metrics } = this.configuration;
    if (metrics === undefined) return;
    const { host, port, isSet } = metrics;
    const limits = { headersTimeout: maxRequestMilliseconds, requestTimeout: maxRequestMilliseconds };
    const server = createServer(limits, (request, response) => {
      this.handle(request, response).catch((error: unknown) => {
        this.logger.error('Metrics could not be collected', error);
        response.writeHead(500).end();
      });
    });
    server.listen(port, host).unref();
    try {
      await once(server, 'listening');
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const reason = code === 'EADDRINUSE' ? 'the port is in use' : message;
      const problem = `Metrics cannot be served on ${host}:${port}: ${reason}; set METRICS_PORT to another port, or to "off"`;
      if (isSet || code !== 'EADDRINUSE') throw new StartError(problem);
      this.logger.warn(problem);
      return;
    }
    server.on('error', () => undefined);
    this.server = server;
    this.metrics.measureProcess();
    const hostInUrl = host.includes(':') ? `[${host}]` : host;
    const url = `http://${hostInUrl}:${(server.address() as AddressInfo).port}${path}`;
    this.logger.log('Metrics server listening', { url });
  }

  /** Closes all connections immediately, so that a scrape does not delay the shutdown. */
  onApplicationShutdown(): void {
    this.server?.close();
    this.server?.closeAllConnections();
  }

  private async handle({ url }: IncomingMessage, response: ServerResponse): Promise<void> {
    if (url?.split('?', 1)[0] !== path) {
      response.writeHead(404).end();
      return;
    }
    const { registry } = this.metrics;
    const body = await registry.metrics();
    response.writeHead(200, { 'Content-Type': registry.contentType, 'X-Content-Type-Options': 'nosniff' }).end(body);
  }
}
