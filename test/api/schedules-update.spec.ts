import { expectFieldError, expectError } from '../support/expectations.js';
import { createOrganization, type Stored, type TestOrganization } from '../support/organization.js';
import {
  bodyOf,
  allowedValues,
  minutesAfterStart,
  patchSchedule,
  readSchedule,
  toCases,
  defaultStart,
  invalidValues,
  nonDefaultFields,
} from '../support/schedules.js';
import { RunningServer } from '../support/server.js';

describe('PATCH /schedules/{scheduleId}', () => {
  let server: RunningServer;
  let organization: TestOrganization;
  let team: Stored;

  beforeAll(async () => {
    server = await RunningServer.shared();
    organization = await createOrganization(server);
    team = await organization.team({ name: 'Hawks' });
  });
  afterAll(() => server.stop());

  /** Values that differ from the defaults. */
  const nonDefault = () => ({ eventType: 'practice', ...nonDefaultFields() });

  const changes: [field: string, value: unknown][] = [
    ['eventTitle', 'Final'],
    ['eventType', 'game'],
    ['startDate', minutesAfterStart(5)],
    ['endDate', minutesAfterStart(40)],
    ['teamTwoName', 'Wolves'],
    ['duration', 20],
    ['matchupFormat', 'runningClock'],
    ['teamFormat', '11v11'],
    ['practiceNote', 'Bring water.'],
    ['isTestGame', false],
    ['fieldSizeInYard', 30],
    ['enableYardage', false],
    ['isScrimmage', false],
    ['allowZeroYardStart', false],
    ['overtimeType', 'unlimited'],
    ['overtimeDuration', 1.5],
    ['locationName', 'Bayside Park'],
    ['placeId', 'ChIJIQBpAG2ahYAR_6128GcTUEo'],
    ['location', 'Bayside Park, field 1'],
    ['tournamentId', 'autumn-cup-2027'],
  ];
  /** The fields that `null` clears. */
  const clearable = ['locationName', 'placeId', 'location', 'practiceNote', 'tournamentId'];
  /** The fields that the server computes for `null`. */
  const computed = ['endDate', 'eventTitle'];

  it.each(changes)(
    'changes only %s: other fields keep their values, and no default is applied',
    async (field, value) => {
      const created = await organization.schedule(team._id, nonDefault());
      const response = await patchSchedule(organization, created._id, { teamId: team._id, [field]: value }).expect(200);
      const changed = response.body as Stored;
      expect(changed).toEqual({ ...created, [field]: value, revision: 2, updatedAt: changed['updatedAt'] });
      expect(await readSchedule(organization, created._id)).toEqual(changed);
    },
  );

  it('changes all of these fields at once', async () => {
    const created = await organization.schedule(team._id, nonDefault());
    const all: Record<string, unknown> = Object.fromEntries(changes);
    const body = bodyOf(await patchSchedule(organization, created._id, { teamId: team._id, ...all }).expect(200));
    expect(body).toEqual({ ...created, ...all, revision: 2, updatedAt: body['updatedAt'] });
  });

  it('sets fields that were not set', async () => {
    const created = await organization.schedule(team._id);
    const set = { fieldSizeInYard: 40, overtimeDuration: 2, practiceNote: 'Bring cones.' };
    const body = bodyOf(await patchSchedule(organization, created._id, { teamId: team._id, ...set }).expect(200));
    expect(body).toEqual({ ...created, ...set, revision: 2, updatedAt: body['updatedAt'] });
  });

  it('updates updatedAt and keeps createdAt', async () => {
    const created = await organization.schedule(team._id);
    const before = Date.now();
    const body = bodyOf(
      await patchSchedule(organization, created._id, { teamId: team._id, eventTitle: 'Final' }).expect(200),
    );
    expect(body['createdAt']).toBe(created['createdAt']);
    expect(Date.parse(String(body['updatedAt']))).toBeGreaterThanOrEqual(before);
  });

  it.each([
    ['only the required fields', {}],
    ['every field', nonDefault()],
  ])('with only teamId changes nothing in a schedule with %s', async (_what, fields) => {
    const created = await organization.schedule(team._id, fields);
    const body = bodyOf(await patchSchedule(organization, created._id, { teamId: team._id }).expect(200));
    expect(body).toEqual(created);
    expect(await readSchedule(organization, created._id)).toEqual(created);
  });

  it('keeps the title if the opponent or the event type changes', async () => {
    const created = await organization.schedule(team._id);
    const change = { teamId: team._id, teamTwoName: 'Wolves', eventType: 'practice' };
    const body = bodyOf(await patchSchedule(organization, created._id, change).expect(200));
    expect(body).toMatchObject({ teamTwoName: 'Wolves', eventType: 'practice', eventTitle: 'Hawks vs Foxes' });
  });

  it('keeps the linked opponent if its name changes', async () => {
    const opponent = await organization.team({ name: 'Foxes' });
    const created = await organization.schedule(team._id, { teamTwoId: opponent._id });
    const change = { teamId: team._id, teamTwoName: 'The Foxes' };
    const body = bodyOf(await patchSchedule(organization, created._id, change).expect(200));
    expect(body).toMatchObject({ teamTwoId: opponent._id, teamTwoName: 'The Foxes' });
  });

  it('changes only this schedule', async () => {
    const [one, other] = [await organization.schedule(team._id), await organization.schedule(team._id)];
    await patchSchedule(organization, one._id, { teamId: team._id, eventTitle: 'Final' }).expect(200);
    expect(await readSchedule(organization, other._id)).toEqual(other);
  });

  it('accepts both IDs in upper case', async () => {
    const created = await organization.schedule(team._id);
    const change = { teamId: team._id.toUpperCase(), eventTitle: 'Final' };
    const body = bodyOf(await patchSchedule(organization, created._id.toUpperCase(), change).expect(200));
    expect(body).toMatchObject({ _id: created._id, teamId: team._id, eventTitle: 'Final' });
  });

  it.each(toCases(allowedValues))('accepts and stores %s: %p', async (field, value) => {
    const created = await organization.schedule(team._id);
    const beside = {
      ...(field === 'overtimeType' && { overtimeDuration: 5 }),
      ...(field === 'enableYardage' && { fieldSizeInYard: 50 }),
    };
    await patchSchedule(organization, created._id, { teamId: team._id, ...beside, [field]: value }).expect(200);
    expect((await readSchedule(organization, created._id))[field]).toBe(value);
  });

  describe('null', () => {
    const clear = async ({ _id }: Stored, ...fields: string[]) => {
      const nulls = Object.fromEntries(fields.map((field) => [field, null]));
      return bodyOf(await patchSchedule(organization, _id, { teamId: team._id, ...nulls }).expect(200));
    };

    it.each(clearable)('clears %s, which is then omitted', async (field) => {
      const created = await organization.schedule(team._id, nonDefault());
      const body = await clear(created, field);
      const { [field]: before, ...rest } = created;
      expect(before).toBeDefined();
      expect(body).toEqual({ ...rest, revision: 2, updatedAt: body['updatedAt'] });
      expect(await readSchedule(organization, created._id)).toEqual(body);
    });

    it('clears all of these fields at once', async () => {
      const created = await organization.schedule(team._id, nonDefault());
      const body = await clear(created, ...clearable);
      const kept = Object.entries(created).filter(([field]) => !clearable.includes(field));
      expect(body).toEqual({ ...Object.fromEntries(kept), revision: 2, updatedAt: body['updatedAt'] });
    });

    it.each([...clearable, 'teamTwoId'])('is accepted for %s even if it is not set', async (field) => {
      const created = await organization.schedule(team._id);
      expect(await clear(created, field)).toEqual(created);
    });

    it.each(changes.map(([field]) => field).filter((field) => ![...clearable, ...computed].includes(field)))(
      'does not clear %s',
      async (field) => {
        const created = await organization.schedule(team._id, nonDefault());
        expectFieldError(await patchSchedule(organization, created._id, { teamId: team._id, [field]: null }), field);
        expect(await readSchedule(organization, created._id)).toEqual(created);
      },
    );
  });

  describe('rejects, without changing anything,', () => {
    let created: Stored;
    beforeAll(async () => {
      created = await organization.schedule(team._id, nonDefault());
    });
    afterEach(async () => {
      expect(await readSchedule(organization, created._id)).toEqual(created);
    });

    const change = (fields: Record<string, unknown>) =>
      patchSchedule(organization, created._id, { teamId: team._id, eventTitle: 'Changed', ...fields });

    it.each([
      ...toCases(invalidValues).filter(([field, value]) => field !== 'endDate' || value !== null),
      ...toCases<unknown>([
        ['eventTitle', [5, true, [], {}, '', ' ', 'x'.repeat(256)]],
        ['practiceNote', [5, true, [], {}]],
        ['locationName', [5, true, [], {}, 'x'.repeat(201)]],
        ['placeId', [5, true, [], {}, 'x'.repeat(201)]],
        ['tournamentId', [5, true, [], {}, 'x'.repeat(101)]],
        ['teamTwoId', [5, true, [], {}, '', ' ']],
      ]),
    ])('%s: %j', async (field, value) => {
      expectFieldError(await change({ [field]: value }), field);
    });

    it.each([
      ['startTime', '10:00'],
      ['endTime', '10:30'],
      ['isRecurring', false],
      ['organizationId', 'ffffffffffffffffffffffff'],
      ['teamOneId', 'ffffffffffffffffffffffff'],
      ['_id', 'ffffffffffffffffffffffff'],
      ['deletedAt', defaultStart],
      ['createdAt', defaultStart],
      ['updatedAt', defaultStart],
      ['$set', { eventTitle: 'x' }],
      ['toString', 'x'],
    ])('the unknown or fixed field %s', async (field, value) => {
      expectFieldError(await change({ [field]: value }), field);
    });

    it.each(['__proto__', 'constructor', 'prototype'])('the raw key %s', async (key) => {
      const text = `{"teamId":"${team._id}","eventTitle":"Changed","${key}":{"isScrimmage":false}}`;
      expectFieldError(await patchSchedule(organization, created._id, text), key);
    });

    it('a body without teamId, an empty one, and none at all', async () => {
      expectFieldError(await patchSchedule(organization, created._id, { eventTitle: 'Changed' }), 'teamId');
      expectFieldError(await patchSchedule(organization, created._id, {}), 'teamId');
      expectFieldError(await organization.call('patch', `/schedules/${created._id}`), 'teamId');
    });

    it('an unknown query parameter', async () => {
      const call = organization.call('patch', `/schedules/${created._id}?upsert=true`);
      expectFieldError(await call.send({ teamId: team._id, eventTitle: 'Changed' }), 'upsert');
    });

    it.each([
      ['malformed JSON', '{"teamId":'],
      ['a list', '[]'],
      ['null', 'null'],
    ])('a body that is %s with 40000', async (_what, text) => {
      expectError(await patchSchedule(organization, created._id, text), 40000);
    });
  });
});
