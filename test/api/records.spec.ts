import { ObjectId } from 'mongodb';
import { expectError } from '../support/expectations.js';
import { createOrganization, type Stored } from '../support/organization.js';
import { minutesAfterStart, nonDefaultFields } from '../support/schedules.js';
import { RunningServer } from '../support/server.js';
import { type Kind, kindNames, type SynchronizedRecords, synchronizedRecords } from '../support/synchronized.js';

type Body = Record<string, unknown>;

const server = RunningServer.forTests();
let count = 0;

/** Fields that a create and an update accept, those that only an update does, and those that `null` clears. */
const fieldsOf: Record<Kind, () => { sent: Body; updated?: Body; optional: string[] }> = {
  team: () => ({
    sent: {
      footballType: 'tackle',
      ageGroup: '12U',
      gender: 'female',
      logoUrl: 'https://cdn.example.com/hawks.png',
      externalId: `team-${++count}`,
    },
    updated: { name: 'Bay Hawks', isArchived: true },
    optional: ['logoUrl', 'externalId'],
  }),
  player: () => ({
    sent: {
      name: 'Zoë Ångström-O’Neill 🏈',
      email: 'zoe.angstrom+flag@mail.example.com',
      position: ['QB', 'Rover'],
      jerseyNumber: '00',
      profilePicture: 'https://cdn.example.com/players/zoe.jpg',
      externalId: `player-${++count}`,
    },
    optional: ['email', 'jerseyNumber', 'profilePicture', 'externalId'],
  }),
  schedule: () => ({
    sent: { eventType: 'practice', externalId: `game-${++count}`, ...nonDefaultFields() },
    updated: { startDate: minutesAfterStart(5), teamTwoName: 'Wolves', eventTitle: 'Final' },
    optional: ['locationName', 'placeId', 'location', 'practiceNote', 'tournamentId', 'externalId'],
  }),
};

describe.each(kindNames)('a %s', (kind) => {
  let records: SynchronizedRecords;
  const create = async (fields: Body = {}) => (await records.create(fields).expect(201)).body as Stored;
  const patch = async (record: Stored, fields: Body) =>
    (await records.patch(record, fields).expect(200)).body as Stored;
  const expectRead = async (record: Stored) => {
    for (const id of [record._id, record._id.toUpperCase()])
      expect((await records.read(`/${id}`).expect(200)).body).toEqual({ data: record });
  };

  beforeEach(async () => {
    records = await synchronizedRecords(kind, await createOrganization(server));
  });

  it('stores every field as sent, and is returned alike by its creation, a read and the list', async () => {
    const { sent } = fieldsOf[kind]();
    const record = await create(sent);
    expect(record).toMatchObject(sent);
    await expectRead(record);
    expect((await records.read('').expect(200)).body).toEqual({ data: [record], total: 1 });
  });

  it('keeps its other fields if one is changed, without a default', async () => {
    const record = await create(fieldsOf[kind]().sent);
    const changed = await patch(record, { [records.field]: 'Changed' });
    expect(changed).toEqual({
      ...record,
      ...{ [records.field]: 'Changed', revision: 2, updatedAt: changed['updatedAt'] },
    });
    expect(Date.parse(String(changed['updatedAt']))).toBeGreaterThanOrEqual(Date.parse(String(record['updatedAt'])));
    await expectRead(changed);
  });

  it('changes all fields at once', async () => {
    const record = await create();
    const { sent, updated } = fieldsOf[kind]();
    const changed = await patch(record, { ...sent, ...updated });
    expect(changed).toEqual({ ...record, ...sent, ...updated, revision: 2, updatedAt: changed['updatedAt'] });
    await expectRead(changed);
  });

  it('omits optional fields once null has cleared them', async () => {
    const { sent, optional } = fieldsOf[kind]();
    const record = await create(sent);
    const nulls = Object.fromEntries(optional.map((field) => [field, null]));
    const changed = await patch(record, nulls);
    const kept = Object.entries(record).filter(([field]) => !optional.includes(field));
    expect(changed).toEqual({ ...Object.fromEntries(kept), revision: 2, updatedAt: changed['updatedAt'] });
    expect(await patch(record, nulls)).toEqual(changed);
    await expectRead(changed);
  });

  it('loses no change if requests change different fields at once', async () => {
    const { sent, optional } = fieldsOf[kind]();
    const record = await create();
    await Promise.all(optional.map((field) => patch(record, { [field]: sent[field] })));
    const changes = Object.fromEntries(optional.map((field) => [field, sent[field]]));
    const response = await records.read(`/${record._id}`).expect(200);
    expect(response.body).toMatchObject({ data: { ...changes, revision: 1 + optional.length } });
  });

  it('is deleted by one of several requests, and in no response afterwards, but stored', async () => {
    const [deleted, kept] = [await create(), await create()];
    const query = kind === 'schedule' ? `?teamId=${String(deleted['teamId'])}` : '';
    const remove = () => records.organization.call('delete', `${records.path}/${deleted._id}${query}`);
    const responses = await Promise.all([1, 2, 3, 4].map(() => remove()));
    const [done, ...late] = responses.sort((one, other) => one.status - other.status);
    expect([done?.status, done?.body]).toEqual([200, { message: expect.stringMatching(/deleted/) as string }]);
    for (const response of late) expectError(response, records.notFound);
    expectError(await records.read(`/${deleted._id}`), records.notFound);
    for (const fields of [{ [records.field]: 'Back' }, {}])
      expectError(await records.patch(deleted, fields), records.notFound);
    expect((await records.read('')).body).toEqual({ data: [kept], total: 1 });
    const collection = (await server.database()).collection(`${kind}s`);
    const stored = await collection.findOne({ _id: new ObjectId(deleted._id) });
    expect(stored).toMatchObject({ [records.field]: deleted[records.field], deletedAt: expect.any(Date) as Date });
  });
});
