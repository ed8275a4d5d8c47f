import type { CommandStartedEvent } from 'mongodb';
import { KeyUsage } from '../../src/modules/api-keys/key-usage.js';
import { driverOptions } from '../../src/database/connection-options.js';
import { createFullOrganization } from '../support/full-organization.js';
import { eventually } from '../support/processes.js';
import { InProcessServer } from '../support/in-process-server.js';
import { superAdmin } from '../support/server.js';

const writing = ['insert', 'update', 'delete', 'findAndModify', 'bulkWrite', 'commitTransaction'];
const reading = ['find', 'aggregate'];

describe('the commands of a server', () => {
  let own: InProcessServer;
  /** The commands as sent: name with collection, and time limit. */
  const sent: { readonly command: string; readonly maxTimeMS: unknown }[] = [];

  const listen = ({ commandName, command }: CommandStartedEvent): void => {
    const { [commandName]: target, maxTimeMS, pipeline } = command as Record<string, unknown>;
    // A change stream waits for changes.
    if (JSON.stringify(pipeline ?? []).includes('$changeStream')) return;
    if ([...reading, ...writing].includes(commandName))
      sent.push({ command: `${commandName} ${String(target)}`, maxTimeMS });
  };

  async function beRefused(): Promise<void> {
    const events = (await own.server.database()).collection('auditEvents');
    await own.server
      .call('post', '/auth/login')
      .send({ ...superAdmin, password: 'a wrong password' })
      .expect(401);
    await eventually('the audit event', async () => (await events.countDocuments({ outcome: 'failure' })) >= 1);
  }

  beforeAll(async () => {
    own = await InProcessServer.start();
    own.connection.getClient().on('commandStarted', listen);
    const { organization, team, calendarLink } = await createFullOrganization(own.server, 'Limited');
    await organization.call('get', '/schedules?filter=upcoming').expect(200);
    await organization.call('patch', `/teams/${team._id}`).send({ name: 'Renamed' }).expect(200);
    await organization.call('delete', `/teams/${team._id}/calendar-links/${calendarLink._id}`).expect(200);
    await beRefused();
    await own.get(KeyUsage).flush();
  }, 60_000);
  afterAll(() => own.stop());

  const sentBy = (names: readonly string[]) =>
    sent.filter(({ command }) => names.includes(command.split(' ')[0] ?? ''));

  it('include every kind of read and write', () => {
    const kinds = new Set(sent.map(({ command }) => command.split(' ')[0]));
    const written = ['commitTransaction', 'delete', 'findAndModify', 'insert', 'update'];
    expect([...kinds].sort()).toEqual(['aggregate', ...written, 'find'].sort());
  });

  it.each([
    ['reads', reading, 3_000],
    // The database gives up before the driver does.
    ['writes', writing, driverOptions.socketTimeoutMS - 1],
  ])('have a time limit for the database: %s', (_name, names, most) => {
    const unbounded = sentBy(names).filter(({ maxTimeMS }) => typeof maxTimeMS !== 'number' || maxTimeMS > most);
    expect([...new Set(unbounded.map(({ command }) => command))]).toEqual([]);
  });
});
