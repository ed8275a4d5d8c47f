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
    it.each([
      ['both absent', {}],
      ['both null', { teamTwoId: null, teamTwoName: null }],
      ['both blank', { teamTwoId: ' ', teamTwoName: '\u200b' }],
      ['something else invalid', { teamId: 5, duration: '30', startTime: '10:00', location: { constructor: 1 } }],
    ])('with %s', async (_what, fields) => {
      const body = expectError(await postSchedule(organization, { ...minimal(), ...fields }), 40002);
      expect(body.message).toBe('Either teamTwoId or teamTwoName must be provided');
    });

    it('without a body, with or without a content type', async () => {
      expectError(await organization.call('post', '/schedules'), 40002);
      expectError(await organization.call('post', '/schedules').set('Content-Type', 'application/json'), 40002);
    });
  });

  it.each(['teamTwoId', 'teamTwoName'])(
    'that is blank or null beside a valid other field returns 40001: %s',
    async (field) => {
      for (const value of ['\u200b', null]) {
        const sent = { ...minimal(), teamTwoId: opponent._id, teamTwoName: 'Foxes', [field]: value };
        expectFieldError(await postSchedule(organization, sent), field);
      }
    },
  );

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
  });

  describe('that is the owning team itself', () => {
    it('is rejected for a game, and accepted for a practice', async () => {
      const playsItself = { ...minimal(), teamTwoId: team._id.toUpperCase() };
      expectFieldError(await postSchedule(organization, playsItself), 'teamTwoId');
      const body = bodyOf(await postSchedule(organization, { ...playsItself, eventType: 'practice' }).expect(201));
      expect(body).toMatchObject({ teamId: team._id, teamTwoId: team._id, teamTwoName: 'Hawks' });
    });

    it('is rejected in a PATCH that makes a game of a practice, and changes nothing', async () => {
      const schedule = await organization.schedule(team._id, { eventType: 'practice', teamTwoId: team._id });
      const sent = { teamId: team._id, eventType: 'game', eventTitle: 'X' };
      expectFieldError(await patchSchedule(organization, schedule._id, sent), 'teamTwoId');
      expect(await readSchedule(organization, schedule._id)).toEqual(schedule);
    });

    it('can be linked in a PATCH to a practice, but not to a game', async () => {
      const schedule = await organization.schedule(team._id);
      const sent = { teamId: team._id, teamTwoId: team._id.toUpperCase() };
      expectFieldError(await patchSchedule(organization, schedule._id, sent), 'teamTwoId');
      const practice = { ...sent, eventType: 'practice' };
      const body = bodyOf(await patchSchedule(organization, schedule._id, practice).expect(200));
      expect(body).toMatchObject({ eventType: 'practice', teamTwoId: team._id, teamTwoName: 'Hawks' });
    });
  });

  describe('in a PATCH', () => {
    let wolves: Stored;
    beforeAll(async () => {
      wolves = await organization.team({ name: 'Wolves' });
    });

    const linkedGame = (teamTwoId = opponent._id) =>
      organization.schedule(team._id, { teamTwoId, teamTwoName: undefined });
    const change = (schedule: Stored, fields: Record<string, unknown>) =>
      patchSchedule(organization, schedule._id, { teamId: team._id, ...fields });
    /** Expects that a change stores these fields and nothing else. */
    const expectStored = async (schedule: Stored, sent: Record<string, unknown>, stored: Record<string, unknown>) => {
      const body = bodyOf(await change(schedule, sent).expect(200));
      const changed = { ...stored, revision: 2, updatedAt: body['updatedAt'] };
      const fields = Object.entries({ ...schedule, ...changed }).filter(([, value]) => value !== undefined);
      expect(body).toEqual(Object.fromEntries(fields));
      expect(await readSchedule(organization, schedule._id)).toEqual(body);
    };

    it('replaces a guest, with the name of the team and the stored title', async () => {
      await expectStored(
        await organization.schedule(team._id, { teamTwoName: 'Guests' }),
        { teamTwoId: wolves._id },
        { teamTwoId: wolves._id, teamTwoName: 'Wolves', eventTitle: 'Hawks vs Guests' },
      );
    });

    it('replaces another team with the sent name and the title of that name', async () => {
      const sent = { teamTwoId: wolves._id, teamTwoName: 'The Pack', eventTitle: null };
      await expectStored(await linkedGame(), sent, { ...sent, eventTitle: 'Hawks vs The Pack' });
    });

    it('is unlinked by null and keeps the stored name', async () => {
      await expectStored(await linkedGame(), { teamTwoId: null }, { teamTwoId: undefined });
    });

    it('that is no team of the organization returns 40301, and changes nothing', async () => {
      const foreign = await createOrganization(server, 'Another');
      const schedule = await linkedGame();
      expectError(await change(schedule, { teamTwoId: (await foreign.team())._id, eventTitle: 'X' }), 40301);
      expect(await readSchedule(organization, schedule._id)).toEqual(schedule);
    });

    it('lists the schedule for the new opponent and no longer for the old one', async () => {
      const [before, after] = [await organization.team(), await organization.team()];
      const schedule = await linkedGame(before._id);
      const listed = async ({ _id }: Stored) => listScheduleIds(organization, `teamId=${_id}`);
      expect([await listed(before), await listed(after)]).toEqual([[schedule._id], []]);
      await change(schedule, { teamTwoId: after._id }).expect(200);
      expect([await listed(before), await listed(after)]).toEqual([[], [schedule._id]]);
      await change(schedule, { teamTwoId: null }).expect(200);
      expect([await listed(before), await listed(after)]).toEqual([[], []]);
    });
  });
});
