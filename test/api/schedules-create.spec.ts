import { ObjectId } from 'mongodb';
import { expectFieldError, expectError } from '../support/expectations.js';
import { createOrganization, type Stored, type TestOrganization } from '../support/organization.js';
import {
  bodyOf,
  listSchedules,
  minutesAfterStart,
  postSchedule,
  defaultStart,
  nonDefaultFields,
} from '../support/schedules.js';
import { RunningServer } from '../support/server.js';

describe('POST /schedules', () => {
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

  it.each(['teamId', 'teamTwoId'])("rejects another organization's team as %s, naming the field", async (field) => {
    const foreign = await (await createOrganization(server, 'Another')).team();
    const { details } = expectError(await postSchedule(organization, { ...minimal(), [field]: foreign._id }), 40301);
    expect(details).toEqual([{ field, message: `${field} is not a team of the API key's organization` }]);
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
