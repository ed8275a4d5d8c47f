import type { Type } from '@nestjs/common';
import { getConnectionToken } from '@nestjs/mongoose';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Connection } from 'mongoose';
import { createApp, prepareDatabase } from '../../src/app.setup.js';
import { pino } from 'pino';
import { parseConfiguration } from '../../src/common/config/configuration.js';
import { listen } from '../../src/platform/listen.js';
import { stopApplication } from '../../src/platform/stop.js';
import { RunningServer, testVariables } from './server.js';
import { testDatabaseUri } from './test-database.js';

/** The whole application with its HTTP side in this process, so that a test sees what it sends to the database. */
export class InProcessServer {
  private constructor(
    private readonly app: NestExpressApplication,
    /** The same, for requests. */
    readonly server: RunningServer,
  ) {}

  static async start(): Promise<InProcessServer> {
    const uri = new URL(testDatabaseUri('in_process'));
    uri.searchParams.set('monitorCommands', 'true');
    const variables = { ...testVariables(uri.href), LOG_LEVEL: 'silent', METRICS_PORT: 'off' };
    const configuration = parseConfiguration(variables);
    const app = await createApp(configuration, pino({ level: 'silent' }));
    const url = await listen(app, '127.0.0.1', 0);
    await prepareDatabase(app, configuration, uri.href);
    return new InProcessServer(app, await RunningServer.at(url, uri.href));
  }

  get connection(): Connection {
    return this.get<Connection>(getConnectionToken());
  }

  /** The one instance of a class, or of what stands under a token, from whichever module. */
  get<T>(token: Type<T> | string): T {
    return this.app.get<T>(token, { strict: false });
  }

  /** Closes everything and removes the database. */
  async stop(): Promise<void> {
    await this.connection.dropDatabase();
    await this.server.stop();
    await stopApplication(this.app, 0, () => undefined);
  }
}
