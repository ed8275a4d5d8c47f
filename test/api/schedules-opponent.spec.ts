import { expectFieldError, expectError } from '../support/expectations.js';
import { createOrganization, type Stored, type TestOrganization } from '../support/organization.js';
import {
  bodyOf,
  defaultStart,
  listScheduleIds,
  patchSchedule,
  postSchedule,
  readSchedule,
} from '../support/schedules.js';
import { RunningServer } from '../support/server.js';

const opponentMissing = 'Either teamTwoId or teamTwoName must be provided';
const blanks = ['', ' ', '\t\n', '\u00a0', '\u200b', '\u2060', '\ufeff', '\u00ad', '\u3164', '\u2800', '\u3000\u200d '];

/** The opponent, and the title that contains its name. */
describe('the opponent of a schedule', () => {
  let server: RunningServer;
  let organization: TestOrganization;
  let team: Stored;
  let opponent: Stored;

  beforeAll(async () => {
    server = await RunningServer.shared();
    organization = await createOrganization(server);
    team = await organization.team({ name: 'Hawks' });
    opponent = await organization.team({ name: 'Foxes' });
  });
  afterAll(() => server.stop());

  const minimal = () => ({ teamId: team._id, startDate: defaultStart });

  describe('missing returns 40002 with the message of the contract', () => {
    const missing: [string, Record<string, unknown>][] = [
      ['both absent', {}],
      ['both null', { teamTwoId: null, teamTwoName: null }],
      ['both empty', { teamTwoId: '', teamTwoName: '' }],
      ['both blank', { teamTwoId: ' ', teamTwoName: '\u200b' }],
      ['one null, the other blank', { teamTwoId: null, teamTwoName: ' ' }],
      ['one blank, the other null', { teamTwoId: '\u3164', teamTwoName: null }],
      ...blanks.map((blank): [string, Record<string, unknown>] => [
        `the name ${JSON.stringify(blank)}`,
        { teamTwoName: blank },
      ]),
      ...blanks.map((blank): [string, Record<string, unknown>] => [
        `the ID ${JSON.stringify(blank)}`,
        { teamTwoId: blank },
      ]),
    ];

    it.each(missing)('with %s', async (_what, sides) => {
      const body = expectError(await postSchedule(organization, { ...minimal(), ...sides }), 40002);
      expect(body.message).toBe(opponentMissing);
    });

    it.each([
      ['a practice', { eventType: 'practice' }],
      ['a scrimmage', { isScrimmage: true }],
      ['a test game', { isTestGame: true }],
    ])('for %s, too', async (_what, fields) => {
      expect(expectError(await postSchedule(organization, { ...minimal(), ...fields }), 40002).message).toBe(
        opponentMissing,
      );
    });

    it.each([
      ['no teamId and no startDate', { teamId: undefined, startDate: undefined }],
      ['a teamId that is not a string', { teamId: 5 }],
      ['a team that is not the organization’s', { teamId: 'ffffffffffffffffffffffff' }],
      ['an invalid date', { startDate: '2027-02-30T10:00:00Z' }],
      ['a wrong type', { duration: '30' }],
      ['null in a field that cannot be null', { isTestGame: null }],
      ['an unknown field', { startTime: '10:00', eventTitle: 'Final' }],
      ['dates in the wrong order', { endDate: '2020-01-01T00:00:00Z' }],
      ['limited overtime without its duration', { overtimeType: 'limited' }],
      ['an invalid location', { location: { $where: 1 } }],
      ['a location with a key named constructor', { location: { constructor: 1 } }],
    ])('whatever else is invalid: %s', async (_what, fields) => {
      expectError(await postSchedule(organization, { ...minimal(), ...fields }), 40002);
    });

    it.each(['__proto__', 'constructor', 'prototype'])(
      'even with the raw key %s, which cannot provide one',
      async (key) => {
        const text = `{"teamId":"${team._id}","startDate":"${defaultStart}","${key}":{"teamTwoName":"Foxes"}}`;
        expectError(await postSchedule(organization, text), 40002);
      },
    );

    it('for an empty JSON object', async () => {
      expectError(await postSchedule(organization, '{}'), 40002);
    });

    it('without a body, with or without a content type', async () => {
      expectError(await organization.call('post', '/schedules'), 40002);
      expectError(await organization.call('post', '/schedules').set('Content-Type', 'application/json'), 40002);
    });
  });

  describe('that is blank or null beside a valid other field returns 40001', () => {
    it.each([...blanks, null])('teamTwoId %j with a teamTwoName', async (value) => {
      const sent = { ...minimal(), teamTwoName: 'Foxes', teamTwoId: value };
      expectFieldError(await postSchedule(organization, sent), 'teamTwoId');
    });

    it.each([...blanks, null])('teamTwoName %j with a teamTwoId', async (value) => {
      const sent = { ...minimal(), teamTwoId: opponent._id, teamTwoName: value };
      expectFieldError(await postSchedule(organization, sent), 'teamTwoName');
    });
  });

  describe('in the response', () => {
    it('has the name of the linked team if only teamTwoId is sent', async () => {
      const body = bodyOf(await postSchedule(organization, { ...minimal(), teamTwoId: opponent._id }).expect(201));
      expect(body).toMatchObject({ teamTwoId: opponent._id, teamTwoName: 'Foxes', eventTitle: 'Hawks vs Foxes' });
    });

    it('has no teamTwoId if only teamTwoName is sent', async () => {
      const body = bodyOf(await postSchedule(organization, { ...minimal(), teamTwoName: 'Guests' }).expect(201));
      expect(body).toMatchObject({ teamTwoName: 'Guests', eventTitle: 'Hawks vs Guests' });
      expect(body).not.toHaveProperty('teamTwoId');
    });

    it('keeps both if both are sent', async () => {
      const sent = { ...minimal(), teamTwoId: opponent._id, teamTwoName: 'The Foxes' };
      const body = bodyOf(await postSchedule(organization, sent).expect(201));
      expect(body).toMatchObject({
        teamTwoId: opponent._id,
        teamTwoName: 'The Foxes',
        eventTitle: 'Hawks vs The Foxes',
      });
    });

    it('is not part of the title of a practice', async () => {
      const sent = { ...minimal(), eventType: 'practice', teamTwoName: 'Guests' };
      const body = bodyOf(await postSchedule(organization, sent).expect(201));
      expect(body).toMatchObject({ eventType: 'practice', eventTitle: 'Hawks practice', teamTwoName: 'Guests' });
    });
  });

  describe('that is the owning team itself', () => {
    const playsItself = () => ({ ...minimal(), teamTwoId: team._id });

    it.each([
      ['a game', {}],
      ['a test game', { isTestGame: true }],
      ['a game under another name', { teamTwoName: 'Hawks B' }],
      ['a game that is explicitly not a scrimmage', { eventType: 'game', isScrimmage: false }],
    ])('is rejected for %s', async (_what, fields) => {
      expectFieldError(await postSchedule(organization, { ...playsItself(), ...fields }), 'teamTwoId');
    });

    it('is rejected for a game even if the ID is in upper case', async () => {
      const sent = { ...minimal(), teamTwoId: team._id.toUpperCase() };
      expectFieldError(await postSchedule(organization, sent), 'teamTwoId');
    });

    it.each([
      ['a practice', { eventType: 'practice' }],
      ['a scrimmage', { isScrimmage: true }],
      ['a practice that is not a scrimmage', { eventType: 'practice', isScrimmage: false }],
    ])('is accepted for %s', async (_what, fields) => {
      const body = bodyOf(await postSchedule(organization, { ...playsItself(), ...fields }).expect(201));
      expect(body).toMatchObject({ teamId: team._id, teamTwoId: team._id, teamTwoName: 'Hawks' });
    });

    it.each([
      ['a practice becomes a game', { eventType: 'practice' }, { eventType: 'game' }],
      ['a scrimmage becomes a normal game', { isScrimmage: true }, { isScrimmage: false }],
      ['both at once', { eventType: 'practice', isScrimmage: true }, { eventType: 'game', isScrimmage: false }],
    ])('is rejected in a PATCH if %s, which then changes nothing', async (_what, created, change) => {
      const schedule = await organization.schedule(team._id, { ...created, teamTwoId: team._id });
      const response = await patchSchedule(organization, schedule._id, {
        teamId: team._id,
        ...change,
        eventTitle: 'X',
      });
      expectFieldError(response, 'teamTwoId');
      expect(await readSchedule(organization, schedule._id)).toEqual(schedule);
    });

    it.each([
      ['a practice becomes a scrimmage', { eventType: 'practice' }, { eventType: 'game', isScrimmage: true }],
      ['a scrimmage becomes a practice', { isScrimmage: true }, { eventType: 'practice', isScrimmage: false }],
      ['a scrimmage is set to game again', { isScrimmage: true }, { eventType: 'game' }],
      ['a practice is set to no scrimmage', { eventType: 'practice' }, { isScrimmage: false }],
      ['something else changes', { eventType: 'practice' }, { eventTitle: 'Against ourselves' }],
    ])('is accepted in a PATCH if %s', async (_what, created, change) => {
      const schedule = await organization.schedule(team._id, { ...created, teamTwoId: team._id });
      const body = bodyOf(await patchSchedule(organization, schedule._id, { teamId: team._id, ...change }).expect(200));
      expect(body).toMatchObject({ ...change, teamTwoId: team._id });
    });

    it.each([
      ['a game', {}, {}],
      ['a game that stays one', { isScrimmage: true }, { isScrimmage: false }],
      ['a practice that becomes a game', { eventType: 'practice' }, { eventType: 'game' }],
    ])('cannot be linked in a PATCH to %s, which then changes nothing', async (_what, created, change) => {
      const schedule = await organization.schedule(team._id, created);
      for (const teamTwoId of [team._id, team._id.toUpperCase()]) {
        const sent = { teamId: team._id, ...change, teamTwoId, eventTitle: 'X' };
        expectFieldError(await patchSchedule(organization, schedule._id, sent), 'teamTwoId');
      }
      expect(await readSchedule(organization, schedule._id)).toEqual(schedule);
    });

    it.each([
      ['a practice', { eventType: 'practice' }, {}],
      ['a scrimmage', { isScrimmage: true }, {}],
      ['a game that becomes a practice', {}, { eventType: 'practice' }],
      ['a game that becomes a scrimmage', {}, { isScrimmage: true }],
    ])('can be linked in a PATCH to %s', async (_what, created, change) => {
      const schedule = await organization.schedule(team._id, created);
      const sent = { teamId: team._id, ...change, teamTwoId: team._id };
      const body = bodyOf(await patchSchedule(organization, schedule._id, sent).expect(200));
      expect(body).toMatchObject({ ...change, teamTwoId: team._id, teamTwoName: 'Hawks' });
    });

    it.each([
      ['another team', () => ({ teamTwoId: opponent._id })],
      ['no team', () => ({ teamTwoId: null })],
    ])('can be replaced by %s in the PATCH that makes a game of a practice', async (_what, change) => {
      const schedule = await organization.schedule(team._id, { eventType: 'practice', teamTwoId: team._id });
      const sent = { teamId: team._id, eventType: 'game', ...change() };
      await patchSchedule(organization, schedule._id, sent).expect(200);
    });

    it('is not reported in a PATCH of a schedule with another opponent, linked or not', async () => {
      for (const sides of [{ teamTwoId: opponent._id }, { teamTwoName: 'Guests' }]) {
        const schedule = await organization.schedule(team._id, { eventType: 'practice', ...sides });
        const change = { teamId: team._id, eventType: 'game', isScrimmage: false };
        await patchSchedule(organization, schedule._id, change).expect(200);
      }
    });
  });

  describe('in a PATCH', () => {
    let wolves: Stored;
    beforeAll(async () => {
      wolves = await organization.team({ name: 'Wolves' });
    });

    const guestGame = () => organization.schedule(team._id, { teamTwoName: 'Guests' });
    const linkedGame = (fields: Record<string, unknown> = {}) =>
      organization.schedule(team._id, { teamTwoId: opponent._id, teamTwoName: undefined, ...fields });
    const change = (schedule: Stored, fields: Record<string, unknown>) =>
      patchSchedule(organization, schedule._id, { teamId: team._id, ...fields });
    /** Expects that a change stores these fields and nothing else. */
    const expectStored = async (schedule: Stored, sent: Record<string, unknown>, stored: Record<string, unknown>) => {
      const body = bodyOf(await change(schedule, sent).expect(200));
      const isChanged = Object.keys(stored).length > 0;
      const changed = isChanged && { ...stored, revision: 2, updatedAt: body['updatedAt'] };
      const fields = Object.entries({ ...schedule, ...changed }).filter(([, value]) => value !== undefined);
      expect(body).toEqual(Object.fromEntries(fields));
      expect(await readSchedule(organization, schedule._id)).toEqual(body);
    };

    it('replaces a guest, with the name of the team and the stored title', async () => {
      await expectStored(
        await guestGame(),
        { teamTwoId: wolves._id },
        { teamTwoId: wolves._id, teamTwoName: 'Wolves', eventTitle: 'Hawks vs Guests' },
      );
    });

    it('replaces another team, even with an ID in upper case', async () => {
      const stored = { teamTwoId: wolves._id, teamTwoName: 'Wolves' };
      await expectStored(await linkedGame(), { teamTwoId: wolves._id.toUpperCase() }, stored);
    });

    it('replaces another team with the sent name and the title of that name', async () => {
      const sent = { teamTwoId: wolves._id, teamTwoName: 'The Pack', eventTitle: null };
      await expectStored(await linkedGame(), sent, { ...sent, eventTitle: 'Hawks vs The Pack' });
    });

    it('gives the generated title its name', async () => {
      await expectStored(
        await linkedGame(),
        { teamTwoId: wolves._id, eventTitle: null },
        { teamTwoId: wolves._id, teamTwoName: 'Wolves', eventTitle: 'Hawks vs Wolves' },
      );
    });

    it('keeps the stored name if it is the same team', async () => {
      await expectStored(await linkedGame({ teamTwoName: 'The Foxes' }), { teamTwoId: opponent._id }, {});
    });

    it('is unlinked by null and keeps the stored name', async () => {
      await expectStored(await linkedGame(), { teamTwoId: null }, { teamTwoId: undefined });
    });

    it('is unlinked by null in favor of a guest', async () => {
      const guest = { teamTwoName: 'Guests', eventTitle: 'Hawks vs Guests' };
      const sent = { teamTwoId: null, teamTwoName: 'Guests', eventTitle: null };
      await expectStored(await linkedGame(), sent, { ...guest, teamTwoId: undefined });
    });

    it.each(blanks)('cannot be unlinked with the blank name %j', async (teamTwoName) => {
      const schedule = await linkedGame();
      expectFieldError(await change(schedule, { teamTwoId: null, teamTwoName }), 'teamTwoName');
      expect(await readSchedule(organization, schedule._id)).toEqual(schedule);
    });

    it('that is blank returns 40001', async () => {
      const schedule = await linkedGame();
      for (const teamTwoId of blanks) expectFieldError(await change(schedule, { teamTwoId }), 'teamTwoId');
      expectFieldError(await change(schedule, { teamTwoName: null }), 'teamTwoName');
      expect(await readSchedule(organization, schedule._id)).toEqual(schedule);
    });

    it('that is no team of the organization returns 40301, even before an unknown schedule', async () => {
      const foreign = await createOrganization(server, 'Another');
      const schedule = await linkedGame();
      for (const teamTwoId of [(await foreign.team())._id, 'ffffffffffffffffffffffff', 'abc', '{"$ne":null}']) {
        expectError(await change(schedule, { teamTwoId, eventTitle: 'X' }), 40301);
        const unknown = { ...schedule, _id: 'ffffffffffffffffffffffff' };
        expectError(await change(unknown, { teamTwoId }), 40301);
      }
      expect(await readSchedule(organization, schedule._id)).toEqual(schedule);
    });

    it('lists the schedule for the new opponent and no longer for the old one', async () => {
      const [before, after] = [await organization.team(), await organization.team()];
      const schedule = await linkedGame({ teamTwoId: before._id });
      const listed = async ({ _id }: Stored) => listScheduleIds(organization, `teamId=${_id}`);
      expect([await listed(before), await listed(after)]).toEqual([[schedule._id], []]);
      await change(schedule, { teamTwoId: after._id }).expect(200);
      expect([await listed(before), await listed(after)]).toEqual([[], [schedule._id]]);
      await change(schedule, { teamTwoId: null }).expect(200);
      expect([await listed(before), await listed(after)]).toEqual([[], []]);
    });
  });
});
