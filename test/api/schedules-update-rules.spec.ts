import { isDeepStrictEqual } from 'node:util';
import type { Response } from 'supertest';
import { expectFieldError } from '../support/expectations.js';
import { createOrganization, type Stored, type TestOrganization } from '../support/organization.js';
import { bodyOf, minutesAfterStart, patchSchedule, readSchedule, defaultStart } from '../support/schedules.js';
import { RunningServer } from '../support/server.js';

/** Rules between the fields of a PATCH and the stored schedule, alone and concurrently. */
describe('PATCH /schedules/{scheduleId}', () => {
  let server: RunningServer;
  let organization: TestOrganization;
  let team: Stored;

  beforeAll(async () => {
    server = await RunningServer.shared();
    organization = await createOrganization(server);
    team = await organization.team();
  });
  afterAll(() => server.stop());

  /** Creates a schedule of half an hour from the default start. */
  const createHalfHour = (fields: Record<string, unknown> = {}) => organization.schedule(team._id, fields);
  const change = (schedule: Stored, fields: Record<string, unknown>) =>
    patchSchedule(organization, schedule._id, { teamId: team._id, ...fields });

  describe('with only startDate', () => {
    it.each([
      ['is earlier', -600],
      ['is the same', 0],
      ['is later, but before the end', 10],
    ])('keeps the stored end if the new start %s', async (_how, minutes) => {
      const body = bodyOf(await change(await createHalfHour(), { startDate: minutesAfterStart(minutes) }).expect(200));
      expect(body).toMatchObject({ startDate: minutesAfterStart(minutes), endDate: minutesAfterStart(30) });
    });

    it('keeps a stored end one millisecond after the new start', async () => {
      const startDate = new Date(Date.parse(minutesAfterStart(30)) - 1).toISOString();
      const body = bodyOf(await change(await createHalfHour(), { startDate }).expect(200));
      expect(body).toMatchObject({ startDate, endDate: minutesAfterStart(30) });
    });

    it.each([
      ['is the stored end', 30],
      ['is after the stored end', 31],
      ['is days later', 10_000],
    ])('moves the end by the same amount if the new start %s', async (_how, minutes) => {
      const body = bodyOf(await change(await createHalfHour(), { startDate: minutesAfterStart(minutes) }).expect(200));
      expect(body).toMatchObject({ startDate: minutesAfterStart(minutes), endDate: minutesAfterStart(minutes + 30) });
    });

    it('moves an end that differs from the duration by the same amount', async () => {
      const schedule = await createHalfHour({ duration: 60, endDate: minutesAfterStart(7) });
      const body = bodyOf(await change(schedule, { startDate: minutesAfterStart(100) }).expect(200));
      expect(body).toMatchObject({ endDate: minutesAfterStart(107), duration: 60 });
    });
  });

  describe('with endDate', () => {
    it.each([
      ['a minute after the stored start', minutesAfterStart(1)],
      ['a millisecond after the stored start', '2027-05-01T10:00:00.001Z'],
      ['days later', minutesAfterStart(10_000)],
    ])('accepts it alone if it is %s, and moves nothing else', async (_how, endDate) => {
      const schedule = await createHalfHour();
      const body = bodyOf(await change(schedule, { endDate }).expect(200));
      expect(body).toEqual({ ...schedule, endDate, revision: 2, updatedAt: body['updatedAt'] });
    });

    it.each([
      ['the stored start', defaultStart],
      ['before the stored start', minutesAfterStart(-1)],
    ])('rejects it alone if it is %s, and changes nothing', async (_how, endDate) => {
      const schedule = await createHalfHour();
      expectFieldError(await change(schedule, { endDate, eventTitle: 'Changed' }), 'endDate');
      expect(await readSchedule(organization, schedule._id)).toEqual(schedule);
    });

    it('compares it with a start in the same request, not with the stored one', async () => {
      const dates = { startDate: minutesAfterStart(-120), endDate: minutesAfterStart(-60) };
      expect((await change(await createHalfHour(), dates).expect(200)).body).toMatchObject(dates);
    });

    it.each([
      ['equal to', 60],
      ['before', 59],
    ])('rejects it if it is %s a start in the same request', async (_how, minutes) => {
      const schedule = await createHalfHour();
      const dates = { startDate: minutesAfterStart(60), endDate: minutesAfterStart(minutes) };
      expectFieldError(await change(schedule, dates), 'endDate');
      expect(await readSchedule(organization, schedule._id)).toEqual(schedule);
    });
  });

  describe('with "endDate": null', () => {
    it.each([
      ['computes the end from the stored start and duration', {}, {}, 0, 30],
      ['computes the end from the new start', {}, { startDate: minutesAfterStart(10) }, 10, 40],
      ['computes the end from the new duration', {}, { duration: 60 }, 0, 60],
      [
        'computes the end from the new start and duration',
        {},
        { startDate: minutesAfterStart(-90), duration: 20 },
        -90,
        -70,
      ],
      [
        'replaces an end that differs from the duration',
        { duration: 48, endDate: minutesAfterStart(95) },
        { startDate: minutesAfterStart(5) },
        5,
        53,
      ],
    ])('%s', async (_what, created, sent, start, end) => {
      const schedule = await createHalfHour(created);
      const body = bodyOf(await change(schedule, { ...sent, endDate: null }).expect(200));
      const dates = { startDate: minutesAfterStart(start), endDate: minutesAfterStart(end) };
      const expected = { ...schedule, ...sent, ...dates };
      const changed = { ...expected, revision: 2, updatedAt: body['updatedAt'] };
      expect(body).toEqual(isDeepStrictEqual(expected, schedule) ? schedule : changed);
      expect(await readSchedule(organization, schedule._id)).toEqual(body);
    });

    it('can be repeated with the same result', async () => {
      const schedule = await createHalfHour();
      const sent = { startDate: minutesAfterStart(10), endDate: null };
      const first = bodyOf(await change(schedule, sent).expect(200));
      const again = bodyOf(await change(schedule, sent).expect(200));
      expect(again).toEqual(first);
    });

    it('rejects a computed end after 2199, and changes nothing', async () => {
      const schedule = await createHalfHour();
      expectFieldError(await change(schedule, { startDate: '2199-12-31T23:30:00Z', endDate: null }), 'startDate');
      expect(await readSchedule(organization, schedule._id)).toEqual(schedule);
      const last = '2199-12-31T23:29:59.999Z';
      const body = bodyOf(await change(schedule, { startDate: last, endDate: null }).expect(200));
      expect(body).toMatchObject({ startDate: last, endDate: '2199-12-31T23:59:59.999Z' });
    });
  });

  describe('with "eventTitle": null', () => {
    it.each<[string, object, object, string]>([
      ['of a game', {}, {}, 'Hawks vs Foxes'],
      ['of a practice', { eventType: 'practice' }, {}, 'Hawks practice'],
      ['of the new event type', {}, { eventType: 'practice' }, 'Hawks practice'],
      ['of a practice that becomes a game', { eventType: 'practice' }, { eventType: 'game' }, 'Hawks vs Foxes'],
      ["of the opponent's new name", {}, { teamTwoName: 'Wolves' }, 'Hawks vs Wolves'],
    ])('restores the generated title %s', async (_what, created, sent, eventTitle) => {
      const schedule = await createHalfHour({ ...created });
      await change(schedule, { eventTitle: 'Final' }).expect(200);
      const body = bodyOf(await change(schedule, { ...sent, eventTitle: null }).expect(200));
      expect(body).toEqual({ ...schedule, ...sent, eventTitle, revision: 3, updatedAt: body['updatedAt'] });
      expect(await readSchedule(organization, schedule._id)).toEqual(body);
    });

    it('uses a name that was changed before', async () => {
      const schedule = await createHalfHour();
      await change(schedule, { teamTwoName: 'Wolves' }).expect(200);
      const body = bodyOf(await change(schedule, { eventTitle: null }).expect(200));
      expect(body['eventTitle']).toBe('Hawks vs Wolves');
    });
  });

  it.each([20, 60])('with duration %i moves neither date', async (duration) => {
    const schedule = await createHalfHour();
    const body = bodyOf(await change(schedule, { duration }).expect(200));
    expect(body).toEqual({ ...schedule, duration, revision: 2, updatedAt: body['updatedAt'] });
  });

  it('with duration and startDate does not derive the end from the duration', async () => {
    const body = bodyOf(
      await change(await createHalfHour(), { duration: 60, startDate: minutesAfterStart(60) }).expect(200),
    );
    expect(body).toMatchObject({ startDate: minutesAfterStart(60), endDate: minutesAfterStart(90) });
  });

  describe('with enableYardage', () => {
    it.each([
      ['none is stored', {}],
      ['one is stored', { enableYardage: true, fieldSizeInYard: 80 }],
    ])('true rejects a missing fieldSizeInYard even if %s', async (_what, created) => {
      const schedule = await createHalfHour(created);
      expectFieldError(await change(schedule, { enableYardage: true }), 'fieldSizeInYard');
      expect(await readSchedule(organization, schedule._id)).toEqual(schedule);
    });

    it('true accepts fieldSizeInYard', async () => {
      const yardage = { enableYardage: true, fieldSizeInYard: 45 };
      expect((await change(await createHalfHour(), yardage).expect(200)).body).toMatchObject(yardage);
    });

    it('false needs no fieldSizeInYard and keeps the stored one', async () => {
      const schedule = await createHalfHour({ enableYardage: true, fieldSizeInYard: 80 });
      const body = bodyOf(await change(schedule, { enableYardage: false }).expect(200));
      expect(body).toMatchObject({ enableYardage: false, fieldSizeInYard: 80 });
    });
  });

  describe('with overtimeType', () => {
    it.each([
      ['none is stored', {}],
      ['one is stored', { overtimeType: 'limited', overtimeDuration: 10 }],
    ])('limited rejects a missing overtimeDuration even if %s', async (_what, created) => {
      const schedule = await createHalfHour(created);
      expectFieldError(await change(schedule, { overtimeType: 'limited' }), 'overtimeDuration');
      expect(await readSchedule(organization, schedule._id)).toEqual(schedule);
    });

    it('limited accepts overtimeDuration', async () => {
      const overtime = { overtimeType: 'limited', overtimeDuration: 1.5 };
      expect((await change(await createHalfHour(), overtime).expect(200)).body).toMatchObject(overtime);
    });

    it('unlimited needs no overtimeDuration and keeps the stored one', async () => {
      const schedule = await createHalfHour({ overtimeType: 'limited', overtimeDuration: 10 });
      const body = bodyOf(await change(schedule, { overtimeType: 'unlimited' }).expect(200));
      expect(body).toMatchObject({ overtimeType: 'unlimited', overtimeDuration: 10 });
    });
  });

  describe('twice concurrently', () => {
    const rounds = Array.from({ length: 40 }, (_none, round) => round);

    it('applies both changes of different fields', async () => {
      const fields: Record<string, unknown>[] = [
        { eventTitle: 'Final' },
        { teamFormat: '11v11' },
        { practiceNote: 'Bring cones.' },
        { isTestGame: true },
        { fieldSizeInYard: 80 },
        { endDate: minutesAfterStart(45) },
      ];
      for (let round = 0; round < 10; round++) {
        const schedule = await createHalfHour();
        await Promise.all(fields.map(async (one) => change(schedule, one).expect(200)));
        expect(await readSchedule(organization, schedule._id)).toMatchObject(Object.assign({}, ...fields) as object);
      }
    });

    it('never stores an end that is not after the start, though each change is valid alone', async () => {
      // Either the end moves with the start, or the end that is now too early is rejected.
      for (const round of rounds) {
        const schedule = await createHalfHour();
        const changes = [{ endDate: minutesAfterStart(15) }, { startDate: minutesAfterStart(20) }];
        const calls = round % 2 === 0 ? changes : [...changes].reverse();
        const responses = await Promise.all(calls.map(async (one) => change(schedule, one)));
        const [end, start] = round % 2 === 0 ? responses : [...responses].reverse();
        expect(start?.status).toBe(200);
        if (end?.status !== 200 && end !== undefined) expectFieldError(end, 'endDate');
        expect(await readSchedule(organization, schedule._id)).toMatchObject({
          startDate: minutesAfterStart(20),
          endDate: minutesAfterStart(end?.status === 200 ? 35 : 30),
        });
      }
    });

    it('never stores a computed end of a start or duration that was replaced', async () => {
      for (const round of rounds) {
        const schedule = await createHalfHour();
        const changes = [{ endDate: null }, { duration: 60 }];
        const calls = round % 2 === 0 ? changes : [...changes].reverse();
        await Promise.all(calls.map(async (one) => change(schedule, one).expect(200)));
        const { endDate } = await readSchedule(organization, schedule._id);
        // The end is computed before or after the change of the duration, which itself moves no date.
        expect([minutesAfterStart(30), minutesAfterStart(60)]).toContain(endDate);
        await change(schedule, { startDate: minutesAfterStart(200), endDate: minutesAfterStart(205) }).expect(200);
        const moves = [{ endDate: null }, { startDate: minutesAfterStart(100) }];
        await Promise.all(moves.map(async (one) => change(schedule, one).expect(200)));
        const moved = await readSchedule(organization, schedule._id);
        expect(moved['startDate']).toBe(minutesAfterStart(100));
        expect([minutesAfterStart(160), minutesAfterStart(260)]).toContain(moved['endDate']);
      }
    });

    it('never restores a title of a name that was replaced before', async () => {
      for (const round of rounds) {
        const schedule = await createHalfHour();
        const changes = [{ eventTitle: null }, { teamTwoName: 'Wolves' }];
        const calls = round % 2 === 0 ? changes : [...changes].reverse();
        const [one, two] = await Promise.all(calls.map(async (sent) => change(schedule, sent).expect(200)));
        const restored = bodyOf((round % 2 === 0 ? one : two) as Response);
        expect(restored['eventTitle']).toBe(`Hawks vs ${String(restored['teamTwoName'])}`);
      }
    });

    it.each([
      ['a scrimmage', { isScrimmage: true }, { isScrimmage: false }],
      ['a practice', { eventType: 'practice' }, { eventType: 'game' }],
    ])('never links a team to itself in what was %s', async (_what, created, becomesGame) => {
      for (const round of rounds) {
        const schedule = await createHalfHour(created);
        const changes = [{ teamTwoId: team._id }, becomesGame];
        const calls = round % 2 === 0 ? changes : [...changes].reverse();
        const responses = await Promise.all(calls.map(async (one) => change(schedule, one)));
        expect(responses.map(({ status }) => status).sort()).toEqual([200, 400]);
        const stored = await readSchedule(organization, schedule._id);
        const isGame = stored['eventType'] === 'game' && stored['isScrimmage'] === false;
        expect(isGame && stored['teamTwoId'] === team._id).toBe(false);
      }
    });

    it('never stores a game of a team against itself, though each change is valid alone', async () => {
      for (const round of rounds) {
        const schedule = await createHalfHour({ eventType: 'practice', isScrimmage: true, teamTwoId: team._id });
        const changes = [{ eventType: 'game' }, { isScrimmage: false }];
        const calls = round % 2 === 0 ? changes : [...changes].reverse();
        const responses = await Promise.all(calls.map(async (one) => change(schedule, one)));
        expect(responses.map(({ status }) => status).sort()).toEqual([200, 400]);
        const { eventType, isScrimmage } = await readSchedule(organization, schedule._id);
        expect(eventType === 'practice' || isScrimmage === true).toBe(true);
      }
    });
  });
});
