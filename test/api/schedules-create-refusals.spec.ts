import { expectFieldRefusal, expectRefusal } from '../support/expectations.js';
import { anOrganization, type Stored, type TestOrganization } from '../support/organization.js';
import { listSchedules, postSchedule, rowsOf, usualStart, wrongValues } from '../support/schedules.js';
import { RunningServer } from '../support/server.js';

const unknownId = 'ffffffffffffffffffffffff';

/** What creation refuses, and by which name it tells the fault. */
describe('POST /schedules refuses', () => {
  let server: RunningServer;
  let organization: TestOrganization;
  let team: Stored;
  let opponent: Stored;
  let foreignTeam: Stored;

  beforeAll(async () => {
    server = await RunningServer.shared();
    organization = await anOrganization(server);
    team = await organization.team();
    opponent = await organization.team({ name: 'Foxes' });
    foreignTeam = await (await anOrganization(server, 'Another')).team();
  });
  afterAll(() => server.stop());

  const least = () => ({ teamId: team._id, startDate: usualStart, teamTwoName: 'Wolves' });
  const without = (field: string) => Object.fromEntries(Object.entries(least()).filter(([name]) => name !== field));

  it.each(['teamId', 'startDate'])('a body without %s', async (field) => {
    expectFieldRefusal(await postSchedule(organization, without(field)), field);
  });

  it('a body without teamId and startDate, naming both', async () => {
    const answer = await postSchedule(organization, { teamTwoName: 'Wolves' });
    expectFieldRefusal(answer, 'teamId');
    expectFieldRefusal(answer, 'startDate');
  });

  it.each(rowsOf(wrongValues))('%s: %j', async (field, value) => {
    const beside = field === 'teamTwoName' ? { teamTwoId: opponent._id } : {};
    expectFieldRefusal(await postSchedule(organization, { ...least(), ...beside, [field]: value }), field);
  });

  it.each(
    rowsOf<unknown>([
      ['teamTwoId', ['', ' ', '\u200b', 5, true, null, [], {}]],
      ['locationName', [5, true, null, [], {}]],
      ['placeId', [5, true, null, [], {}]],
      ['practiceNote', [5, true, null, [], {}]],
      ['tournamentId', [5, true, null, [], {}]],
      ['location', [5, true, null, [], ['Riverside']]],
    ]),
  )('%s: %j, as only creation takes it', async (field, value) => {
    expectFieldRefusal(await postSchedule(organization, { ...least(), [field]: value }), field);
  });

  it('numbers that JSON can write and no number can hold', async () => {
    const text = JSON.stringify({ ...least(), overtimeDuration: 0 }).replace(
      '"overtimeDuration":0',
      '"overtimeDuration":1e999',
    );
    expectFieldRefusal(await postSchedule(organization, text), 'overtimeDuration');
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
    ['createdAt', usualStart],
    ['TeamId', unknownId],
    ['toString', 'x'],
    ['$set', {}],
  ])('the unknown field %s, naming it', async (field, value) => {
    expectFieldRefusal(await postSchedule(organization, { ...least(), [field]: value }), field);
  });

  it.each(['__proto__', 'constructor', 'prototype'])('the raw key %s, naming it', async (key) => {
    const text = JSON.stringify(least()).replace('{', `{${JSON.stringify(key)}:{"isScrimmage":true},`);
    expectFieldRefusal(await postSchedule(organization, text), key);
  });

  it.each(['__proto__', 'constructor', 'prototype'])('the raw key %s within a field, naming it', async (key) => {
    const text = JSON.stringify(least()).replace('{', `{"startTime":{"${key}":1},`);
    const body = expectFieldRefusal(await postSchedule(organization, text), `startTime.${key}`);
    expect(body.details?.map(({ field }) => field)).toContain('startTime');
  });

  it('several faults at once, naming each of them', async () => {
    const answer = await postSchedule(organization, { ...least(), duration: 31, isTestGame: 'no', startTime: '10:00' });
    for (const field of ['duration', 'isTestGame', 'startTime']) expectFieldRefusal(answer, field);
  });

  it('an unknown query parameter, naming it', async () => {
    const call = organization.call('post', '/schedules?dryRun=true');
    expectFieldRefusal(await call.send(least()), 'dryRun');
  });

  it.each([
    ['malformed JSON', '{"teamId":'],
    ['a list', '[]'],
    ['a text', '"schedule"'],
    ['null', 'null'],
  ])('a body that is %s with 40000', async (_what, text) => {
    expectRefusal(await postSchedule(organization, text), 40000);
  });

  it('without leaving anything behind', async () => {
    const own = await anOrganization(server);
    const { _id } = await own.team();
    const wrong = [{ duration: 31 }, { teamId: team._id }, { teamTwoId: team._id }, { overtimeType: 'limited' }];
    for (const fault of wrong) {
      const answer = await postSchedule(own, { ...least(), teamId: _id, ...fault });
      expect([400, 403]).toContain(answer.status);
    }
    expect(await listSchedules(own)).toEqual({ data: [], total: 0 });
  });

  describe('a team that is not of the organization with 40301', () => {
    it.each(['teamId', 'teamTwoId'])('of another organization as %s', async (field) => {
      expectRefusal(await postSchedule(organization, { ...least(), [field]: foreignTeam._id }), 40301);
    });

    it.each(
      ['teamId', 'teamTwoId'].flatMap((field) =>
        [unknownId, 'abc', '1', 'no team', '../teams', '{"$ne":null}', 'é😀', 'x'.repeat(5000)].map(
          (text) => [field, text] as const,
        ),
      ),
    )('%s: %.30p, whatever its shape', async (field, text) => {
      expectRefusal(await postSchedule(organization, { ...least(), [field]: text }), 40301);
    });

    it('only after a wrong field (400 before 403)', async () => {
      const sent = { ...least(), teamId: foreignTeam._id, duration: 31 };
      expectFieldRefusal(await postSchedule(organization, sent), 'duration');
    });

    it('only after a rule between fields (400 before 403)', async () => {
      const sent = { ...least(), teamId: foreignTeam._id, overtimeType: 'limited' };
      expectFieldRefusal(await postSchedule(organization, sent), 'overtimeDuration');
    });
  });
});
