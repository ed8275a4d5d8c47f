import type { INestApplicationContext, Type } from '@nestjs/common';
import { getConnectionToken } from '@nestjs/mongoose';
import { Test } from '@nestjs/testing';
import type { Connection } from 'mongoose';
import { AppModule } from '../../src/app.module.js';
import { Clock } from '../../src/config/clock.js';
import { type Tenant, type RequestContext, unconditional } from '../../src/access/request-context.js';
import { parseConfiguration } from '../../src/config/configuration.js';
import { DatabaseService } from '../../src/database/database.service.js';
import { newRecordId } from '../../src/database/record.js';
import { startForTests } from './for-tests.js';
import { secondFactorKey } from './second-factor.js';
import { testDatabaseUri } from './test-database.js';

/** A clock that only advances when told to. */
export class FixedClock extends Clock {
  constructor(private instant = new Date('2027-05-01T10:00:00.000Z')) {
    super();
  }

  override now(): Date {
    return new Date(this.instant);
  }

  /** Advances the clock by this many milliseconds. */
  advance(milliseconds: number): void {
    this.instant = new Date(this.instant.getTime() + milliseconds);
  }
}

/** The whole application without HTTP, on a new database with indexes. */
export class TestApplication {
  private constructor(
    private readonly context: INestApplicationContext,
    readonly uri: string,
  ) {}

  /** Starts the application for the tests of a file or `describe`. */
  static forTests(clock?: Clock): TestApplication {
    const start = () => TestApplication.start(clock);
    return startForTests(TestApplication, start, { stop: (application) => application.stop() });
  }

  static async start(clock: Clock = new Clock()): Promise<TestApplication> {
    const uri = new URL(testDatabaseUri());
    uri.searchParams.set('monitorCommands', 'true'); // so that tests can observe database commands
    const configuration = parseConfiguration({
      MONGODB_URI: uri.href,
      LOG_LEVEL: 'silent',
      SECOND_FACTOR_KEY: secondFactorKey,
    });
    const module = await Test.createTestingModule({ imports: [AppModule.of(configuration)] })
      .overrideProvider(Clock)
      .useValue(clock)
      .compile();
    const context = await module.init();
    const application = new TestApplication(context, uri.href);
    await application.get(DatabaseService).open(uri.href);
    await application.get(DatabaseService).ensureIndexes();
    return application;
  }

  get connection(): Connection {
    return this.get<Connection>(getConnectionToken());
  }

  /** Returns the provider of a class or token from any module. */
  get<T>(token: Type<T> | string): T {
    return this.context.get<T>(token, { strict: false });
  }

  /** Closes everything and removes the database. */
  async stop(): Promise<void> {
    await this.connection.dropDatabase();
    await this.context.close();
    await this.get(DatabaseService).close();
  }
}

/** Returns a new organization as tenant. */
export function newTenant(): Tenant {
  return { organization: { id: String(newRecordId()) }, ...unconditional };
}

/** The context of a request with a key of a new organization. */
export function newRequestContext(): RequestContext {
  return {
    ...newTenant(),
    actingUser: { id: String(newRecordId()) },
    apiKey: { id: String(newRecordId()), name: 'ERP', keyPrefix: 'ffk_live_4fK2mZ81pQxT' },
    requestId: 'a-request',
    address: '',
  };
}
