import { type Connection, createConnection, type mongo, type QueryFilter, type UpdateQuery } from 'mongoose';
import type { OrganizationScope } from '../../src/common/context/request-context.js';
import { connectionOptions } from '../../src/database/connection-options.js';
import { OrganizationRepository } from '../../src/database/organization.repository.js';
import {
  newRecordId,
  organizationFields,
  type OrganizationRecord,
  recordSchema,
  toRecordId,
} from '../../src/database/record.js';
import { transactionsOn } from '../support/transactions.js';
import { newScope } from '../support/application.js';
import { testDatabaseUri } from '../support/test-database.js';

interface NoteRecord extends OrganizationRecord {
  text: string;
  deletedAt: Date | null;
}

const noteSchema = recordSchema<NoteRecord>('notes', {
  ...organizationFields,
  text: { type: String, required: true },
  deletedAt: { type: Date },
});

const fields = ['_id', 'text', 'organizationId'] as const;

/** What every repository of organizations does with what its own methods hand on. */
class NotesRepository extends OrganizationRepository<NoteRecord> {
  constructor(connection: Connection) {
    super(connection.model<NoteRecord>('Note', noteSchema));
  }

  one(scope: OrganizationScope, filter: QueryFilter<NoteRecord>) {
    return this.findOne(scope, filter, fields);
  }

  all(scope: OrganizationScope, filter: QueryFilter<NoteRecord>) {
    return this.find(scope, filter, fields, { _id: 1 });
  }

  page(scope: OrganizationScope, filter: QueryFilter<NoteRecord>) {
    return this.findPage(scope, filter, fields, { page: 1, limit: 20 });
  }

  add(scope: OrganizationScope, note: NoteRecord) {
    return this.insertOne(scope, note);
  }

  change(scope: OrganizationScope, filter: QueryFilter<NoteRecord>, update: UpdateQuery<NoteRecord>) {
    return this.updateOne(scope, filter, update, fields);
  }

  replace(
    scope: OrganizationScope,
    filter: QueryFilter<NoteRecord>,
    notes: NoteRecord[],
    session: mongo.ClientSession,
  ) {
    return this.replaceAll(scope, filter, notes, session);
  }
}

describe('a repository of organizations', () => {
  let connection: Connection;
  let notes: NotesRepository;
  let scope: OrganizationScope;
  let other: OrganizationScope;
  let foreign: NoteRecord;

  beforeAll(async () => {
    const uri = new URL(testDatabaseUri());
    uri.searchParams.set('monitorCommands', 'true');
    connection = await createConnection(uri.href, connectionOptions).asPromise();
    notes = new NotesRepository(connection);
  });

  afterAll(async () => {
    await connection.dropDatabase();
    await connection.close();
  });

  beforeEach(async () => {
    [scope, other] = [newScope(), newScope()];
    foreign = aNote(other, 'theirs');
    await notes.add(other, foreign);
    await notes.add(scope, aNote(scope, 'ours'));
  });

  /** The foreign record as it is stored. */
  const stored = () => connection.collection('notes').findOne({ _id: foreign._id });

  const toOther = () => toRecordId(other.organization.id);
  const escapes: [string, () => QueryFilter<NoteRecord>][] = [
    ['names nothing', () => ({})],
    ['names the id of a foreign record', () => ({ _id: foreign._id })],
    ['names the other organization', () => ({ organizationId: toOther() })],
    ['asks for any organization but its own', () => ({ organizationId: { $ne: toRecordId(scope.organization.id) } })],
    ['names the other organization in an $or', () => ({ $or: [{ organizationId: toOther() }, { text: 'theirs' }] })],
    ['names the other organization in an $and', () => ({ $and: [{ organizationId: toOther() }] })],
    ['names nobody in a $nor', () => ({ $nor: [{ organizationId: newRecordId() }] })],
  ];

  it.each(escapes)(
    'finds, counts and changes nothing of another organization with a filter that %s',
    async (_, filter) => {
      const found = [await notes.one(scope, filter()), ...(await notes.all(scope, filter()))];
      const { data, total } = await notes.page(scope, filter());
      const changed = await notes.change(scope, filter(), { $set: { text: 'changed' } });
      for (const note of [...found, ...data, changed]) {
        if (note !== null) expect(String(note.organizationId)).toBe(scope.organization.id);
      }
      expect(total).toBe(data.length);
      expect(await stored()).toMatchObject({ text: 'theirs' });
    },
  );

  it.each(escapes)('removes nothing of another organization with a filter that %s', async (_, filter) => {
    await transactionsOn(connection).run(scope, (session) => notes.replace(scope, filter(), [], session));
    expect(await stored()).toMatchObject({ text: 'theirs' });
  });

  it('finds, counts and changes what is its own', async () => {
    expect(await notes.all(scope, {})).toEqual([expect.objectContaining({ text: 'ours' })]);
    expect((await notes.page(scope, {})).total).toBe(1);
    expect(await notes.change(scope, { text: 'ours' }, { $set: { text: 'changed' } })).toMatchObject({
      text: 'changed',
    });
  });

  it('gives the named fields and nothing else', async () => {
    const found = await notes.one(scope, {});
    expect(Object.keys(found ?? {}).sort()).toEqual([...fields].sort());
  });

  it('refuses to store a record of another organization', async () => {
    const record = aNote(other, 'smuggled');
    await expect(notes.add(scope, record)).rejects.toThrow('The record belongs to another organization');
    expect(await connection.collection('notes').findOne({ _id: record._id })).toBeNull();
  });

  it('refuses to put records of another organization in the place of its own, and keeps its own', async () => {
    const replacing = transactionsOn(connection).run(scope, (session) =>
      notes.replace(scope, {}, [aNote(scope, 'new'), aNote(other, 'smuggled')], session),
    );
    await expect(replacing).rejects.toThrow('A record belongs to another organization');
    expect(await notes.all(scope, {})).toEqual([expect.objectContaining({ text: 'ours' })]);
    expect((await notes.page(other, {})).total).toBe(1);
  });

  it.each([
    ['an update of a field', () => ({ $set: { organizationId: toOther() } })],
    ['an update without an operator', () => ({ organizationId: toOther() })],
    ['a removal of the field', () => ({ $unset: { organizationId: 1 as const } })],
    ['an update pipeline', () => [{ $set: { organizationId: { $literal: toOther() } } }] as UpdateQuery<NoteRecord>],
  ] as [string, () => UpdateQuery<NoteRecord>][])(
    'keeps the organization of a record against %s',
    async (_, update) => {
      const own = await notes.one(scope, {});
      await notes.change(scope, {}, update()).catch(() => undefined);
      const after = await connection.collection('notes').findOne({ _id: own?._id ?? newRecordId() });
      expect(String(after?.['organizationId'])).toBe(scope.organization.id);
    },
  );

  it.each(['one', 'all', 'page', 'change'] as const)(
    'throws on a filter with an unknown field or an expression in %s',
    async (method) => {
      for (const filter of [{ unknown: 1 }, { $expr: { $eq: ['$organizationId', toOther()] } }]) {
        const call = async () => notes[method](scope, filter, { $set: { text: 'changed' } });
        await expect(call).rejects.toThrow(/which Note does not have/);
      }
      expect(await notes.one(scope, {})).toMatchObject({ text: 'ours' });
    },
  );

  it('throws on an unknown field of an update and of a record, instead of dropping it', async () => {
    const update = { $set: { unknown: 1 } } as UpdateQuery<NoteRecord>;
    await expect(async () => notes.change(scope, {}, update)).rejects.toThrow(/unknown/);
    await expect(notes.add(scope, { ...aNote(scope, 'x'), unknown: 1 } as NoteRecord)).rejects.toThrow(/unknown/);
  });

  it('tells of a foreign record whose it is, and nothing else', async () => {
    expect(await notes.ownerOf(String(foreign._id))).toBe(other.organization.id);
  });

  it('tells no owner of a record that is unknown or deleted', async () => {
    const deleted = { ...aNote(other, 'deleted'), deletedAt: new Date() };
    await notes.add(other, deleted);
    expect(await notes.ownerOf(String(deleted._id))).toBeNull();
    expect(await notes.ownerOf(String(newRecordId()))).toBeNull();
  });

  it('reads no more than the organization from the database to tell the owner', async () => {
    const replies: unknown[] = [];
    const listen = ({ reply }: mongo.CommandSucceededEvent): void => void replies.push(reply);
    connection.getClient().on('commandSucceeded', listen);
    await notes.ownerOf(String(foreign._id));
    connection.getClient().off('commandSucceeded', listen);
    expect(JSON.stringify(replies)).not.toContain('theirs');
  });

  it('waits for the majority of the database, with the journal, before a write is answered', async () => {
    const concerns: unknown[] = [];
    const listen = ({ command, commandName }: mongo.CommandStartedEvent): void => {
      if (['insert', 'findAndModify'].includes(commandName)) concerns.push(command['writeConcern']);
    };
    connection.getClient().on('commandStarted', listen);
    await notes.add(scope, aNote(scope, 'new'));
    await notes.change(scope, { text: 'new' }, { $set: { text: 'changed' } });
    connection.getClient().off('commandStarted', listen);
    expect(concerns).toEqual([
      { w: 'majority', j: true },
      { w: 'majority', j: true },
    ]);
  });

  it('fails at once while the database was never reached, instead of waiting for it', async () => {
    const unopened = createConnection();
    const begun = Date.now();
    await expect(new NotesRepository(unopened).one(scope, {})).rejects.toThrow();
    expect(Date.now() - begun).toBeLessThan(1_000);
  });
});

function aNote({ organization }: OrganizationScope, text: string): NoteRecord {
  const now = new Date();
  const organizationId = toRecordId(organization.id);
  return { _id: newRecordId(), organizationId, text, deletedAt: null, createdAt: now, updatedAt: now };
}
