import { expectFieldError, expectError } from '../support/expectations.js';
import { createOrganization, type Stored, type TestOrganization } from '../support/organization.js';
import { listSchedules, postSchedule, toCases, defaultStart, invalidValues } from '../support/schedules.js';
import { RunningServer } from '../support/server.js';

const unknownId = 'ffffffffffffffffffffffff';

describe('POST /schedules rejects', () => {
  let server: RunningServer;
  let organization: TestOrganization;
  let team: Stored;
  let opponent: Stored;
  let foreignTeam: Stored;

  beforeAll(async () => {
    server = await RunningServer.shared();
    organization = await createOrganization(server);
    team = await organization.team();
    opponent = await organization.team({ name: 'Foxes' });
    foreignTeam = await (await createOrganization(server, 'Another')).team();
  });
  afterAll(() => server.stop());

  const minimal = () => ({ teamId: team._id, startDate: defaultStart, teamTwoName: 'Wolves' });
  const without = (field: string) => Object.fromEntries(Object.entries(minimal()).filter(([name]) => name !== field));

  it.each(['teamId', 'startDate'])('a body without %s', async (field) => {
    expectFieldError(await postSchedule(organization, without(field)), field);
  });

  it('a body without teamId and startDate, naming both', async () => {
    const response = await postSchedule(organization, { teamTwoName: 'Wolves' });
    expectFieldError(response, 'teamId');
    expectFieldError(response, 'startDate');
  });

  it.each(toCases(invalidValues))('%s: %j', async (field, value) => {
    const beside = field === 'teamTwoName' ? { teamTwoId: opponent._id } : {};
    expectFieldError(await postSchedule(organization, { ...minimal(), ...beside, [field]: value }), field);
  });

  it.each(
    toCases<unknown>([
      ['teamTwoId', ['', ' ', '\u200b', 5, true, null, [], {}]],
      ['locationName', [5, true, null, [], {}]],
      ['placeId', [5, true, null, [], {}]],
      ['practiceNote', [5, true, null, [], {}]],
      ['tournamentId', [5, true, null, [], {}]],
      ['location', [5, true, null, [], ['Riverside']]],
    ]),
  )('%s: %j, in fields that only creation accepts', async (field, value) => {
    expectFieldError(await postSchedule(organization, { ...minimal(), [field]: value }), field);
  });

  it('numbers that JSON can express but no number can store', async () => {
    const text = JSON.stringify({ ...minimal(), overtimeDuration: 0 }).replace(
      '"overtimeDuration":0',
      '"overtimeDuration":1e999',
    );
    expectFieldError(await postSchedule(organization, text), 'overtimeDuration');
  });

  it.each([
    ['startTime', '10:00'],
    ['endTime', '10:30'],
    ['isRecurring', false],
    ['organizationId', unknownId],
    ['eventTitle', 'Final'],
    ['teamOneId', unknownId],
    ['_id', unknownId],
    ['createdBy', unknownId],
    ['deletedAt', null],
    ['createdAt', defaultStart],
    ['TeamId', unknownId],
    ['toString', 'x'],
    ['$set', {}],
  ])('the unknown field %s, naming it', async (field, value) => {
    expectFieldError(await postSchedule(organization, { ...minimal(), [field]: value }), field);
  });

  it.each(['__proto__', 'constructor', 'prototype'])('the raw key %s, naming it', async (key) => {
    const text = JSON.stringify(minimal()).replace('{', `{${JSON.stringify(key)}:{"isScrimmage":true},`);
    expectFieldError(await postSchedule(organization, text), key);
  });

  it.each(['__proto__', 'constructor', 'prototype'])('the raw key %s within a field, naming it', async (key) => {
    const text = JSON.stringify(minimal()).replace('{', `{"startTime":{"${key}":1},`);
    const body = expectFieldError(await postSchedule(organization, text), `startTime.${key}`);
    expect(body.details?.map(({ field }) => field)).toContain('startTime');
  });

  it('several errors at once, naming each field', async () => {
    const response = await postSchedule(organization, {
      ...minimal(),
      duration: 31,
      isTestGame: 'no',
      startTime: '10:00',
    });
    for (const field of ['duration', 'isTestGame', 'startTime']) expectFieldError(response, field);
  });

  it('an unknown query parameter, naming it', async () => {
    const call = organization.call('post', '/schedules?dryRun=true');
    expectFieldError(await call.send(minimal()), 'dryRun');
  });

  it.each([
    ['malformed JSON', '{"teamId":'],
    ['a list', '[]'],
    ['a string', '"schedule"'],
    ['null', 'null'],
  ])('a body that is %s with 40000', async (_what, text) => {
    expectError(await postSchedule(organization, text), 40000);
  });

  it('without creating anything', async () => {
    const own = await createOrganization(server);
    const { _id } = await own.team();
    const invalid = [{ duration: 31 }, { teamId: team._id }, { teamTwoId: team._id }, { overtimeType: 'limited' }];
    for (const fields of invalid) {
      const response = await postSchedule(own, { ...minimal(), teamId: _id, ...fields });
      expect([400, 403]).toContain(response.status);
    }
    expect(await listSchedules(own)).toEqual({ data: [], total: 0 });
  });

  describe('a team of no or another organization with 40301', () => {
    it.each(['teamId', 'teamTwoId'])('of another organization as %s', async (field) => {
      expectError(await postSchedule(organization, { ...minimal(), [field]: foreignTeam._id }), 40301);
    });

    it.each(
      ['teamId', 'teamTwoId'].flatMap((field) =>
        [unknownId, 'abc', '1', 'not a team', '../teams', '{"$ne":null}', 'é😀', 'x'.repeat(5000)].map(
          (text) => [field, text] as const,
        ),
      ),
    )('%s: %.30p, in any format', async (field, text) => {
      expectError(await postSchedule(organization, { ...minimal(), [field]: text }), 40301);
    });

    it('only after an invalid field (400 before 403)', async () => {
      const sent = { ...minimal(), teamId: foreignTeam._id, duration: 31 };
      expectFieldError(await postSchedule(organization, sent), 'duration');
    });

    it('only after a rule between fields (400 before 403)', async () => {
      const sent = { ...minimal(), teamId: foreignTeam._id, overtimeType: 'limited' };
      expectFieldError(await postSchedule(organization, sent), 'overtimeDuration');
    });
  });
});
