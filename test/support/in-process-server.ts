import type { Type } from '@nestjs/common';
import { getConnectionToken } from '@nestjs/mongoose';
import type { NestExpressApplication } from '@nestjs/platform-express';
import argon2 from 'argon2';
import type { Connection } from 'mongoose';
import { createApp, listen, prepareDatabase } from '../../src/app.setup.js';
import { pino } from 'pino';
import { parseConfiguration } from '../../src/config/configuration.js';
import { stopApplication } from '../../src/lifecycle/stop.js';
import { RunningServer, testVariables } from './server.js';
import { cheapest } from './preload.js';
import { testDatabaseUri } from './test-database.js';

/** The whole application with HTTP in this process, so that a test can observe its database commands. */
export class InProcessServer {
  private constructor(
    private readonly app: NestExpressApplication,
    /** The same server, to send requests. */
    readonly server: RunningServer,
  ) {}

  static async start(): Promise<InProcessServer> {
    const { hash } = argon2;
    jest.spyOn(argon2, 'hash').mockImplementation((secret, options) => hash(secret, { ...options, ...cheapest }));
    const uri = new URL(testDatabaseUri('in_process'));
    uri.searchParams.set('monitorCommands', 'true');
    const variables = { ...testVariables(uri.href), LOG_LEVEL: 'silent', METRICS_PORT: 'off', WEBHOOK_WORKER: 'off' };
    const configuration = parseConfiguration(variables);
    const app = await createApp(configuration, pino({ level: 'silent' }));
    const url = await listen(app, '127.0.0.1', 0);
    await prepareDatabase(app, configuration, uri.href, url);
    return new InProcessServer(app, await RunningServer.at(url, uri.href));
  }

  get connection(): Connection {
    return this.get<Connection>(getConnectionToken());
  }

  /** Returns the provider of a class or token from any module. */
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
