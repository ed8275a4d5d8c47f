import type { CommandStartedEvent } from 'mongodb';
import { KeyUsage } from '../../src/modules/api-keys/key-usage.js';
import { driverOptions } from '../../src/database/connection-options.js';
import { eventually } from '../support/processes.js';
import { InProcessServer } from '../support/in-process-server.js';
import { uniqueMark, SecretTracker } from '../support/secret-tracker.js';
import { OperationDriver } from '../support/operation-driver.js';
import { operations } from '../support/operations.js';
import { superAdmin } from '../support/server.js';

const writing = ['insert', 'update', 'delete', 'findAndModify', 'bulkWrite', 'commitTransaction'];

describe('the writes of a server', () => {
  let own: InProcessServer;
  /** The writes as sent: collection and time limit. */
  const sent: { readonly write: string; readonly maxTimeMS: unknown }[] = [];

  const listen = ({ commandName, command }: CommandStartedEvent): void => {
    const { [commandName]: target, maxTimeMS } = command as Record<string, unknown>;
    if (writing.includes(commandName)) sent.push({ write: `${commandName} ${String(target)}`, maxTimeMS });
  };

  const aDriver = () => new OperationDriver(own.server, new SecretTracker(), uniqueMark());
  const stored = async (collection: string) => (await own.server.database()).collection(collection);

  async function driveOperations(): Promise<void> {
    const driver = aDriver();
    for (const operation of operations)
      if (operation.method !== 'get') await driver.succeed(operation, await driver.createFixture(operation));
  }

  async function reuseAnOutdatedIdemKey(): Promise<void> {
    const driver = aDriver();
    const createPlayer = operations.find(({ id }) => id === 'createPlayer');
    if (createPlayer === undefined) throw new Error('There is no operation createPlayer');
    const arranged = await driver.createFixture(createPlayer);
    const extra = { headers: { 'idem-key': 'used-twice' } };
    await driver.succeed(createPlayer, arranged, extra);
    await (await stored('players')).updateMany({}, { $set: { 'idempotency.at': new Date(0) } });
    await driver.succeed(createPlayer, arranged, extra);
  }

  async function beRefused(): Promise<void> {
    const events = await stored('auditEvents');
    await own.server
      .call('post', '/auth/login')
      .send({ ...superAdmin, password: 'a wrong password' })
      .expect(401);
    await eventually('the audit event', async () => (await events.countDocuments({ outcome: 'failure' })) >= 1);
  }

  beforeAll(async () => {
    own = await InProcessServer.start();
    own.connection.getClient().on('commandStarted', listen);
    await driveOperations();
    await reuseAnOutdatedIdemKey();
    await beRefused();
    await own.get(KeyUsage).flush();
  }, 120_000);
  afterAll(() => own.stop());

  it('include every kind of write', () => {
    const kinds = new Set(sent.map(({ write }) => write.split(' ')[0]));
    expect([...kinds].sort()).toEqual(['commitTransaction', 'delete', 'findAndModify', 'insert', 'update']);
  });

  it('have a time limit for the database, which gives up before the driver does', () => {
    const { socketTimeoutMS } = driverOptions;
    const unbounded = sent.filter(({ maxTimeMS }) => typeof maxTimeMS !== 'number' || maxTimeMS >= socketTimeoutMS);
    expect([...new Set(unbounded.map(({ write }) => write))]).toEqual([]);
  });
});
