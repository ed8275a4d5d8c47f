import { ObjectId } from 'mongodb';
import { expectFieldError, expectError } from '../support/expectations.js';
import { createOrganization, type Stored, TestOrganization } from '../support/organization.js';
import {
  bodyOf,
  listSchedules,
  minutesAfterStart,
  postSchedule,
  readSchedule,
  defaultStart,
  nonDefaultFields,
} from '../support/schedules.js';
import { RunningServer } from '../support/server.js';

describe('POST /schedules', () => {
  const server = RunningServer.forTests();
  const organization = TestOrganization.forTests(server);
  let team: Stored;
  let opponent: Stored;

  beforeAll(async () => {
    team = await organization.team({ name: 'Hawks' });
    opponent = await organization.team({ name: 'Foxes' });
  });

  const minimal = () => ({ teamId: team._id, startDate: defaultStart, teamTwoName: 'Wolves' });

  it('returns 201 with the unwrapped schedule: defaults for omitted fields, no unset fields', async () => {
    const before = Date.now();
    const response = await postSchedule(organization, minimal()).expect(201);
    const created = response.body as Stored;
    expect(created).toEqual({
      _id: expect.stringMatching(/^[0-9a-f]{24}$/) as string,
      organizationId: organization.id,
      teamOneId: team._id,
      teamId: team._id,
      teamTwoName: 'Wolves',
      eventType: 'game',
      eventTitle: 'Hawks vs Wolves',
      startDate: defaultStart,
      endDate: minutesAfterStart(30),
      duration: 30,
      matchupFormat: 'halves',
      teamFormat: '7v7',
      isTestGame: false,
      isScrimmage: false,
      enableYardage: false,
      allowZeroYardStart: false,
      overtimeType: 'unlimited',
      status: 'scheduled',
      revision: 1,
      changedBy: organization.asChangedBy(),
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
      updatedAt: created['createdAt'],
    });
    expect(Date.parse(String(created['createdAt']))).toBeGreaterThanOrEqual(before);
    expect(Date.parse(String(created['createdAt']))).toBeLessThanOrEqual(Date.now());
  });

  const everything = () => ({
    teamId: team._id,
    startDate: defaultStart,
    teamTwoId: opponent._id,
    teamTwoName: 'The Foxes',
    eventType: 'game',
    ...nonDefaultFields(),
  });

  it('stores every value as sent, and returns it identically from create, get and list', async () => {
    const own = await createOrganization(server);
    const linked = await own.team({ name: 'Foxes' });
    const { _id: teamId } = await own.team({ season: linked['season'] });
    const sent = { ...everything(), teamId, teamTwoId: linked._id };
    const created = bodyOf(await postSchedule(own, sent).expect(201));
    expect(created).toMatchObject({ ...sent, teamOneId: teamId, eventTitle: 'Hawks vs The Foxes', revision: 1 });
    const read = await own.call('get', `/schedules/${created._id}`).expect(200);
    const listed = await own.call('get', '/schedules').expect(200);
    expect(read.body).toEqual({ data: created });
    expect(listed.body).toEqual({ data: [created], total: 1 });
  });

  it('stores a location as sent: every JSON type, empty objects and lists, and keys in their order', async () => {
    const types = {
      zebra: ' é 🏈 ',
      large: 9_007_199_254_740_991,
      part: 0.1,
      yes: true,
      none: null,
      list: [],
      object: {},
    };
    const location = { ...types, a$b: '$where', deep: { type: 'x', _id: { toJSON: 1, length: 5 } } };
    const { _id, ...created } = bodyOf(await postSchedule(organization, { ...minimal(), location }).expect(201));
    const read = await readSchedule(organization, _id);
    for (const kept of [created, read]) expect(JSON.stringify(kept['location'])).toBe(JSON.stringify(location));
  });

  describe('opponent', () => {
    it('missing returns 40002, whatever else is invalid', async () => {
      const fields = { teamId: 5, teamTwoName: null, duration: '30', location: { constructor: 1 } };
      const body = expectError(await postSchedule(organization, { ...minimal(), ...fields }), 40002);
      expect(body.message).toBe('Either teamTwoId or teamTwoName must be provided');
    });

    it('has the name of the linked team if only teamTwoId is sent', async () => {
      const sent = { teamId: team._id, startDate: defaultStart, teamTwoId: opponent._id };
      const body = bodyOf(await postSchedule(organization, sent).expect(201));
      expect(body).toMatchObject({ teamTwoId: opponent._id, teamTwoName: 'Foxes', eventTitle: 'Hawks vs Foxes' });
    });

    it('must not be the owning team, except in a practice', async () => {
      const playsItself = { ...minimal(), teamTwoId: team._id.toUpperCase() };
      expectFieldError(await postSchedule(organization, playsItself), 'teamTwoId');
      await postSchedule(organization, { ...playsItself, eventType: 'practice' }).expect(201);
    });
  });

  it("stores the organization's creator as createdBy, which is not returned", async () => {
    const created = (await postSchedule(organization, minimal()).expect(201)).body as Stored;
    const schedules = (await server.database()).collection('schedules');
    const stored = await schedules.findOne({ _id: new ObjectId(created._id) });
    expect(String(stored?.['createdBy'])).toBe(organization.creator._id);
    expect(created).not.toHaveProperty('createdBy');
  });

  it('accepts team IDs in upper case and returns them in lower case', async () => {
    const sent = { teamId: team._id.toUpperCase(), startDate: defaultStart, teamTwoId: opponent._id.toUpperCase() };
    const body = bodyOf(await postSchedule(organization, sent).expect(201));
    expect(body).toMatchObject({ teamId: team._id, teamOneId: team._id, teamTwoId: opponent._id });
  });

  it('rejects a body without teamId and startDate, naming both', async () => {
    const response = await postSchedule(organization, { teamTwoName: 'Wolves' });
    expectFieldError(response, 'teamId');
    expectFieldError(response, 'startDate');
  });

  it('creates nothing if it rejects the body', async () => {
    const own = await createOrganization(server);
    const { _id } = await own.team();
    const invalid = [{ duration: 31 }, { teamId: team._id }, { teamTwoId: _id }, { endDate: defaultStart }];
    for (const fields of invalid) {
      const response = await postSchedule(own, { ...minimal(), teamId: _id, ...fields });
      expect([400, 403]).toContain(response.status);
    }
    expect(await listSchedules(own)).toEqual({ data: [], total: 0 });
  });
});
