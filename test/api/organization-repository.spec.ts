import { Transactions } from '../../src/database/transaction.js';
import { SchemaFactory } from '@nestjs/mongoose';
import { type Connection, createConnection, type mongo, type QueryFilter, type UpdateQuery } from 'mongoose';
import type { Tenant } from '../../src/access/request-context.js';
import { connectionOptions } from '../../src/database/connection-options.js';
import { applyPlugins } from '../../src/database/plugins/apply-plugins.js';
import { OrganizationRepository } from '../../src/database/organization.repository.js';
import { newRecordId, toRecordId } from '../../src/database/record.js';
import { newNote, NoteRecord } from '../support/notes.js';
import { newTenant } from '../support/application.js';
import { testDatabaseUri } from '../support/test-database.js';

const noteOf = ({ organization }: Tenant, text: string) =>
  newNote({ organizationId: toRecordId(organization.id), text });

const fields = ['_id', 'text', 'organizationId'] as const;

/** Exposes the protected methods of the base class. */
class NotesRepository extends OrganizationRepository<NoteRecord> {
  constructor(connection: Connection) {
    super(connection.model<NoteRecord>('Note', SchemaFactory.createForClass(NoteRecord)));
  }

  one(tenant: Tenant, filter: QueryFilter<NoteRecord>) {
    return this.findOne(tenant, filter, fields);
  }

  all(tenant: Tenant, filter: QueryFilter<NoteRecord>) {
    return this.find(tenant, filter, fields, { _id: 1 });
  }

  page(tenant: Tenant, filter: QueryFilter<NoteRecord>) {
    return this.findPage(tenant, filter, fields, { page: 1, limit: 20 });
  }

  add(tenant: Tenant, note: NoteRecord) {
    return this.insertOne(tenant, note);
  }

  change(tenant: Tenant, filter: QueryFilter<NoteRecord>, update: UpdateQuery<NoteRecord>) {
    return this.updateOne(tenant, filter, update, fields);
  }

  replace(tenant: Tenant, filter: QueryFilter<NoteRecord>, notes: NoteRecord[], session: mongo.ClientSession) {
    return this.replaceAll(tenant, filter, notes, session);
  }
}

describe('OrganizationRepository', () => {
  let connection: Connection;
  let notes: NotesRepository;
  let tenant: Tenant;
  let other: Tenant;
  let otherNote: NoteRecord;

  beforeAll(async () => {
    const uri = new URL(testDatabaseUri());
    uri.searchParams.set('monitorCommands', 'true');
    connection = await applyPlugins(createConnection()).openUri(uri.href, connectionOptions);
    notes = new NotesRepository(connection);
  });

  afterAll(async () => {
    await connection.dropDatabase();
    await connection.close();
  });

  beforeEach(async () => {
    [tenant, other] = [newTenant(), newTenant()];
    otherNote = noteOf(other, 'theirs');
    await notes.add(other, otherNote);
    await notes.add(tenant, noteOf(tenant, 'ours'));
  });

  /** The stored record of the other organization. */
  const stored = () => connection.collection('notes').findOne({ _id: otherNote._id });

  const otherId = () => toRecordId(other.organization.id);
  const foreignFilters: [string, () => QueryFilter<NoteRecord>][] = [
    ['is empty', () => ({})],
    ['names the ID of the other record', () => ({ _id: otherNote._id })],
    ['names the other organization', () => ({ organizationId: otherId() })],
    ['excludes its own organization', () => ({ organizationId: { $ne: toRecordId(tenant.organization.id) } })],
    ['names the other organization in an $or', () => ({ $or: [{ organizationId: otherId() }, { text: 'theirs' }] })],
    ['names the other organization in an $and', () => ({ $and: [{ organizationId: otherId() }] })],
    ['names the other organization in an expression', () => ({ $expr: { $eq: ['$organizationId', otherId()] } })],
    ['names an unknown organization in a $nor', () => ({ $nor: [{ organizationId: newRecordId() }] })],
  ];

  it.each(foreignFilters)(
    'finds, counts, changes and removes nothing of another organization with a filter that %s',
    async (_, filter) => {
      const found = [await notes.one(tenant, filter()), ...(await notes.all(tenant, filter()))];
      const { data, total } = await notes.page(tenant, filter());
      const changed = await notes.change(tenant, filter(), { $set: { text: 'changed' } });
      for (const note of [...found, ...data, changed]) {
        if (note !== null) expect(String(note.organizationId)).toBe(tenant.organization.id);
      }
      expect(total).toBe(data.length);
      await new Transactions(connection).run(tenant, (session) => notes.replace(tenant, filter(), [], session));
      expect(await stored()).toMatchObject({ text: 'theirs' });
    },
  );

  it('rejects a record of another organization', async () => {
    const record = noteOf(other, 'smuggled');
    await expect(notes.add(tenant, record)).rejects.toThrow('A record belongs to another organization');
    expect(await connection.collection('notes').findOne({ _id: record._id })).toBeNull();
  });

  it('rejects records of another organization in replaceAll and keeps its own', async () => {
    const replacing = new Transactions(connection).run(tenant, (session) =>
      notes.replace(tenant, {}, [noteOf(tenant, 'new'), noteOf(other, 'smuggled')], session),
    );
    await expect(replacing).rejects.toThrow('A record belongs to another organization');
    expect(await notes.all(tenant, {})).toEqual([expect.objectContaining({ text: 'ours' })]);
    expect((await notes.page(other, {})).total).toBe(1);
  });

  it.each([
    ['an update of a field', () => ({ $set: { organizationId: otherId() } })],
    ['an update without operators', () => ({ organizationId: otherId() })],
    ['removing the field', () => ({ $unset: { organizationId: 1 as const } })],
    ['an update pipeline', () => [{ $set: { organizationId: { $literal: otherId() } } }] as UpdateQuery<NoteRecord>],
  ] as [string, () => UpdateQuery<NoteRecord>][])(
    'keeps the organization of a record despite %s',
    async (_, update) => {
      const own = await notes.one(tenant, {});
      await notes.change(tenant, {}, update()).catch(() => undefined);
      const after = await connection.collection('notes').findOne({ _id: own?._id ?? newRecordId() });
      expect(String(after?.['organizationId'])).toBe(tenant.organization.id);
    },
  );

  it.each(['one', 'change'] as const)('throws on a filter with an unknown field in %s', async (method) => {
    for (const filter of [{ unknown: 1 }, { $and: [{ $nor: [{ 'unknown.name': 1 }] }] }, { createdAt: 'yesterday' }]) {
      const call = async () => notes[method](tenant, filter, { $set: { text: 'changed' } });
      await expect(call).rejects.toThrow(/not in schema|Cast to date failed/);
    }
  });

  it('throws on an unknown field in an update, instead of dropping it', async () => {
    const update = { $set: { unknown: 1 } } as UpdateQuery<NoteRecord>;
    await expect(async () => notes.change(tenant, {}, update)).rejects.toThrow(/unknown/);
  });

  it('waits for journaled majority writes', async () => {
    const concerns: unknown[] = [];
    const listen = ({ command, commandName }: mongo.CommandStartedEvent): void => {
      if (['insert', 'findAndModify'].includes(commandName)) concerns.push(command['writeConcern']);
    };
    connection.getClient().on('commandStarted', listen);
    await notes.add(tenant, noteOf(tenant, 'new'));
    await notes.change(tenant, { text: 'new' }, { $set: { text: 'changed' } });
    connection.getClient().off('commandStarted', listen);
    expect(concerns).toEqual([
      { w: 'majority', j: true },
      { w: 'majority', j: true },
    ]);
  });
});
