import { expectError, expectFieldError } from '../support/expectations.js';
import { createOrganization, type Stored, TestOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';
import { kindNames, type SynchronizedRecords, synchronizedRecords } from '../support/synchronized.js';
import { defaultStart, minutesAfterStart, patchSchedule, postSchedule } from '../support/schedules.js';

const server = RunningServer.forTests();

describe.each(kindNames)('the external ID of a %s', (kind) => {
  let records: SynchronizedRecords;
  const body = async (response: PromiseLike<{ body: unknown }>) => (await response).body as Stored;
  const list = async (query: string) =>
    ((await records.read(query)).body as { data: Stored[]; total: number }).data.map(({ _id }) => _id);

  beforeAll(async () => {
    records = await synchronizedRecords(kind, await createOrganization(server));
  });

  it('is rejected with 40905 if another record has it, in a POST and a PATCH', async () => {
    const first = await body(records.create({ externalId: 'taken' }).expect(201));
    const second = await body(records.create().expect(201));
    for (const response of [
      await records.create({ externalId: 'taken' }),
      await records.patch(second, { externalId: 'taken' }),
    ])
      expect(expectError(response, 40905)).toMatchObject({
        message: `The record ${first._id} has this externalId`,
        details: [{ field: 'externalId' }],
      });
    expect(await list('?externalId=taken')).toEqual([first._id]);
  });

  it('creates exactly one record if equal requests arrive at once', async () => {
    const responses = await Promise.all(Array.from({ length: 8 }, () => records.upsert('at-once', records.body)));
    expect(responses.map(({ status }) => status).sort()).toEqual([...Array<number>(7).fill(200), 201]);
    expect(new Set(responses.map(({ body: sent }) => (sent as Stored)._id)).size).toBe(1);
    expect(await list('?externalId=at-once')).toHaveLength(1);
  });

  it('applies different requests that arrive at once one after the other', async () => {
    const field = kind === 'team' ? 'ageGroup' : records.field;
    const bodies = Array.from({ length: 20 }, (_none, index) => ({ ...records.body, [field]: `Different ${index}` }));
    const responses = await Promise.all(bodies.map((body) => records.upsert('contended', body)));
    expect(responses.map(({ status }) => status).sort()).toEqual([...Array<number>(19).fill(200), 201]);
    expect(new Set(responses.map(({ body: sent }) => (sent as Stored)['revision'])).size).toBe(20);
  });

  describe('in an upsert', () => {
    it('creates the record with the defaults of a POST, then changes only the sent fields', async () => {
      const posted = await body(records.create({ externalId: 'posted' }).expect(201));
      const created = await body(records.upsert('upserted', records.body).expect(201));
      const own = { _id: created._id, externalId: 'upserted' };
      const times = { createdAt: created['createdAt'], updatedAt: created['updatedAt'] };
      expect(created).toEqual({ ...posted, ...own, ...times });
      const changed = await body(records.upsert('upserted', { [records.field]: 'Changed' }).expect(200));
      const { updatedAt, eventTitle } = changed;
      const computed = { revision: 2, updatedAt, ...(kind === 'schedule' && { eventTitle }) };
      expect(changed).toEqual({ ...created, [records.field]: 'Changed', ...computed });
      expect(await body(records.upsert('upserted', {}).expect(200))).toEqual(changed);
    });

    it('requires the fields of a create only if it creates', async () => {
      const required = Object.keys(records.body).filter((field) => field !== 'teamTwoName');
      const error = expectError(
        await records.upsert('missing', { teamTwoName: undefined }),
        kind === 'schedule' ? 40002 : 40001,
      );
      if (kind !== 'schedule') expect(error.details?.map(({ field }) => field).sort()).toEqual(required.sort());
      expectError(await records.read('/by-external-id/missing'), records.notFound);
    });

    it('accepts an equal externalId in the body and rejects another one', async () => {
      await records.upsert('equal', { ...records.body, externalId: 'equal' }).expect(201);
      for (const externalId of ['other', null])
        expectFieldError(await records.upsert('equal', { ...records.body, externalId }), 'externalId');
    });

    it('creates nothing with updateOnly=true', async () => {
      expectError(await records.upsert('absent', records.body, '?updateOnly=true'), records.notFound);
      await records.upsert('absent', records.body, '?updateOnly=false').expect(201);
      await records.upsert('absent', records.body, '?updateOnly=true').expect(200);
      expectFieldError(await records.upsert('absent', records.body, '?updateOnly=1'), 'updateOnly');
    });
  });
});

describe('an upsert of schedules', () => {
  type Body = Record<string, unknown>;

  const organization = TestOrganization.forTests(server);
  let team: Stored;
  let opponent: Stored;
  let count = 0;

  beforeAll(async () => {
    team = await organization.team({ name: 'Hawks' });
    opponent = await organization.team({ name: 'Foxes' });
  });

  const newId = () => `game-${++count}`;
  const minimal = () => ({ teamId: team._id, startDate: defaultStart, teamTwoName: 'Guests' });
  const upsert = (externalId: string, body: Body) =>
    organization.call('patch', `/schedules/by-external-id/${externalId}`).send(body);
  const read = async (externalId: string) =>
    ((await organization.call('get', `/schedules/by-external-id/${externalId}`).expect(200)).body as { data: Stored })
      .data;
  const create = async (fields: Body = {}) => {
    const externalId = newId();
    await upsert(externalId, { ...minimal(), ...fields }).expect(201);
    return read(externalId);
  };
  const idOf = (schedule: Stored) => String(schedule['externalId']);

  // A bulk row takes the same path: convergence.spec.ts.
  describe('by a single request', () => {
    const send = async (externalId: string, body: Body) =>
      ((await upsert(externalId, body)).body as { error?: number }).error;
    const creates: [string, () => Body, () => Body][] = [
      ['a linked opponent', () => ({ teamTwoId: opponent._id, enableYardage: true }), () => ({})],
      [
        'null for optional fields',
        () => ({}),
        () => ({ endDate: null, eventTitle: null, teamTwoId: null, placeId: null }),
      ],
      ['a title', () => ({}), () => ({ eventTitle: 'Final' })],
    ];

    it.each(creates)('creates what a POST creates, with %s', async (_what, fields, more) => {
      const externalId = newId();
      expect(await send(externalId, { ...minimal(), ...fields(), ...more() })).toBeUndefined();
      const post = postSchedule(organization, { ...minimal(), ...fields() }).expect(201);
      const { warnings: _warnings, ...posted } = (await post).body as Stored;
      const created = await read(externalId);
      const own = { _id: created._id, externalId, createdAt: created['createdAt'], updatedAt: created['updatedAt'] };
      const title = more()['eventTitle'] ?? posted['eventTitle'];
      expect(created).toEqual({ ...posted, ...own, eventTitle: title });
    });

    const changes: [string, () => Body][] = [
      ['"endDate": null', () => ({ startDate: minutesAfterStart(100), duration: 60, endDate: null })],
      ['an opponent and "eventTitle": null', () => ({ teamTwoId: opponent._id.toUpperCase(), eventTitle: null })],
      ['"teamTwoId": null', () => ({ teamTwoId: null })],
    ];

    it.each(changes)('changes what a PATCH changes, with %s', async (_what, fields) => {
      const other = { endDate: minutesAfterStart(37), eventTitle: 'Final', locationName: 'Park', practiceNote: 'Run.' };
      const [one, patched] = [await create(other), await create(other)];
      const expected = (await patchSchedule(organization, patched._id, { teamId: team._id, ...fields() }).expect(200))
        .body as Stored;
      // The owner is not required.
      expect(await send(idOf(one), fields())).toBeUndefined();
      const changed = await read(idOf(one));
      const { _id, externalId, createdAt } = one;
      expect(changed).toEqual({ ...expected, _id, externalId, createdAt, updatedAt: changed['updatedAt'] });
    });

    it('keeps revision and updatedAt if it changes nothing', async () => {
      const one = await create({
        ...{ teamTwoId: opponent._id, teamTwoName: undefined },
        ...{ enableYardage: true, fieldSizeInYard: 50 },
      });
      const same = { ...minimal(), teamId: team._id.toUpperCase(), teamTwoName: undefined, teamTwoId: opponent._id };
      const kept = [{ endDate: null, eventTitle: one['eventTitle'] }, { placeId: null }, { enableYardage: true }];
      for (const body of [{}, same, ...kept]) {
        expect(await send(idOf(one), body)).toBeUndefined();
        expect(await read(idOf(one))).toEqual(one);
      }
    });
  });

  it('names a problem of an update once, whether it is seen in the request or in the updated schedule', async () => {
    const one = await create();
    const error = expectFieldError(
      await upsert(idOf(one), { startDate: minutesAfterStart(60), endDate: defaultStart }),
      'endDate',
    );
    expect(error.details).toHaveLength(1);
  });
});
