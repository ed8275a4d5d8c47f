import type { Response } from 'supertest';
import { expectFieldError } from '../support/expectations.js';
import { createOrganization, type Stored, type TestOrganization } from '../support/organization.js';
import { bodyOf, minutesAfterStart, patchSchedule, readSchedule } from '../support/schedules.js';
import { RunningServer } from '../support/server.js';

/** Rules between the fields of a PATCH and the stored schedule. */
describe('several PATCHes of a schedule at once', () => {
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

  const rounds = Array.from({ length: 40 }, (_none, round) => round);

  it('apply all changes of different fields', async () => {
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

  it('never store an end that is not after the start, though each change is valid alone', async () => {
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

  it('never store a computed end of a start or duration that was replaced', async () => {
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

  it('never restore a title of a name that was replaced before', async () => {
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
  ])('never link a team to itself in what was %s', async (_what, created, becomesGame) => {
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

  it('never store a game of a team against itself, though each change is valid alone', async () => {
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
