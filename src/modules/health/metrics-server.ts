import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Metrics } from '../../common/metrics/metrics.js';
import { Configuration, StartError } from '../../common/config/configuration.js';

const path = '/metrics';
const maxRequestMilliseconds = 10_000;

/** Serves the metrics on a port of its own, from before the database is reachable until after the last request. */
@Injectable()
export class MetricsServer implements OnApplicationShutdown {
  private readonly logger = new Logger('Metrics');
  private server: Server | undefined;

  constructor(
    private readonly configuration: Configuration,
    private readonly metrics: Metrics,
  ) {}

  /**
   * Listens, unless metrics are switched off. Without METRICS_PORT the server does without the default port if it is in use.
   * @throws StartError if it cannot listen on the port that was set
   */
  async start(): Promise<void> {
    const { metrics } = this.configuration;
    if (metrics === undefined) return;
    const { host, port, isSet } = metrics;
    const limits = { headersTimeout: maxRequestMilliseconds, requestTimeout: maxRequestMilliseconds };
    const server = createServer(limits, (request, response) => {
      this.answer(request, response).catch((error: unknown) => {
        this.logger.error('Metrics could not be read', error);
        response.writeHead(500).end();
      });
    });
    server.listen(port, host).unref();
    try {
      await once(server, 'listening');
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const problem = `Metrics cannot be served on ${host}:${port}: ${code === 'EADDRINUSE' ? 'it is in use' : message}`;
      const remedy = 'Choose another port with METRICS_PORT, or METRICS_PORT=off.';
      if (isSet || code !== 'EADDRINUSE') throw new StartError(`${problem}. ${remedy}`);
      this.logger.warn(`${problem}. ${remedy}`);
      return;
    }
    server.on('error', () => undefined);
    this.server = server;
    this.metrics.measureProcess();
    const hostInUrl = host.includes(':') ? `[${host}]` : host;
    const address = `http://${hostInUrl}:${(server.address() as AddressInfo).port}${path}`;
    this.logger.log('Metrics are served', { address });
  }

  /** Closes at once: a reader can come again, and must not delay the stop. */
  onApplicationShutdown(): void {
    this.server?.close();
    this.server?.closeAllConnections();
  }

  private async answer({ method = '', url }: IncomingMessage, response: ServerResponse): Promise<void> {
    const send = (status: number, body: string, type = 'text/plain; charset=utf-8') => {
      const headers = { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) };
      response.writeHead(status, { ...headers, 'X-Content-Type-Options': 'nosniff' }).end(body);
    };
    if (url?.split('?', 1)[0] !== path) {
      send(404, 'Not found');
    } else if (!['GET', 'HEAD'].includes(method)) {
      response.setHeader('Allow', 'GET, HEAD');
      send(405, 'Method not allowed');
    } else {
      const { registry } = this.metrics;
      send(200, await registry.metrics(), registry.contentType);
    }
  }
}
