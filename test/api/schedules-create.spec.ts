import { ObjectId } from 'mongodb';
import { expectFieldError, expectError } from '../support/expectations.js';
import { createOrganization, type Stored, type TestOrganization } from '../support/organization.js';
import {
  bodyOf,
  allowedValues,
  minutesAfterStart,
  postSchedule,
  readSchedule,
  toCases,
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

  it('stores and returns every value as sent', async () => {
    const body = bodyOf(await postSchedule(organization, everything()).expect(201));
    expect(body).toEqual({
      ...everything(),
      _id: expect.any(String) as string,
      organizationId: organization.id,
      teamOneId: team._id,
      eventTitle: 'Hawks vs The Foxes',
      revision: 1,
      createdAt: expect.any(String) as string,
      updatedAt: expect.any(String) as string,
    });
  });

  it.each([
    ['only the required fields', minimal],
    ['every field', everything],
  ])('returns a schedule with %s identically from create, get and list', async (_what, body) => {
    const own = await createOrganization(server);
    const { _id } = await own.team();
    const linked = await own.team({ name: 'Foxes' });
    const sent = { ...body(), teamId: _id, ...('teamTwoId' in body() && { teamTwoId: linked._id }) };
    const created = (await postSchedule(own, sent).expect(201)).body as Stored;
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

  it.each(toCases(allowedValues))('accepts and stores %s: %p', async (field, value) => {
    const response = await postSchedule(organization, { ...minimal(), overtimeDuration: 5, [field]: value }).expect(
      201,
    );
    expect((response.body as Stored)[field]).toBe(value);
    expect((await readSchedule(organization, (response.body as Stored)._id))[field]).toBe(value);
  });

  it.each([20, 24, 30, 40, 48, 50, 60])(
    'defaults the end to %i minutes after the start if that is the duration',
    async (duration) => {
      const body = bodyOf(await postSchedule(organization, { ...minimal(), duration }).expect(201));
      expect(body['endDate']).toBe(minutesAfterStart(duration));
    },
  );

  it('keeps a sent endDate and duration that contradict each other', async () => {
    const sent = { ...minimal(), duration: 20, endDate: minutesAfterStart(120) };
    const body = bodyOf(await postSchedule(organization, sent).expect(201));
    expect(body).toMatchObject({ duration: 20, endDate: minutesAfterStart(120) });
  });

  it('accepts an endDate one millisecond after startDate', async () => {
    const endDate = '2027-05-01T10:00:00.001Z';
    const body = bodyOf(await postSchedule(organization, { ...minimal(), endDate }).expect(201));
    expect(body['endDate']).toBe(endDate);
  });

  it.each([
    ['equal to', defaultStart],
    ['before', minutesAfterStart(-1)],
    ['in another time zone equal to', '2027-05-01T12:00:00+02:00'],
  ])('rejects an endDate %s startDate', async (_how, endDate) => {
    expectFieldError(await postSchedule(organization, { ...minimal(), endDate }), 'endDate');
  });

  it('defaults fieldSizeInYard to 50 if enableYardage is true', async () => {
    const body = bodyOf(await postSchedule(organization, { ...minimal(), enableYardage: true }).expect(201));
    expect(body['fieldSizeInYard']).toBe(50);
  });

  it('keeps a sent fieldSizeInYard if enableYardage is true', async () => {
    const sent = { ...minimal(), enableYardage: true, fieldSizeInYard: 80 };
    expect((await postSchedule(organization, sent).expect(201)).body).toMatchObject({ fieldSizeInYard: 80 });
  });

  it.each([[{ enableYardage: false }], [{}]])('leaves fieldSizeInYard unset with %p', async (yardage) => {
    const body = bodyOf(await postSchedule(organization, { ...minimal(), ...yardage }).expect(201));
    expect(body).not.toHaveProperty('fieldSizeInYard');
  });

  it('keeps a fieldSizeInYard sent without enableYardage', async () => {
    const body = bodyOf(await postSchedule(organization, { ...minimal(), fieldSizeInYard: 100 }).expect(201));
    expect(body).toMatchObject({ enableYardage: false, fieldSizeInYard: 100 });
  });

  it('rejects overtimeType limited without overtimeDuration', async () => {
    expectFieldError(await postSchedule(organization, { ...minimal(), overtimeType: 'limited' }), 'overtimeDuration');
  });

  it.each([1, 1.5, 10, 1000])('accepts an overtimeDuration of %p minutes with limited overtime', async (minutes) => {
    const sent = { ...minimal(), overtimeType: 'limited', overtimeDuration: minutes };
    expect((await postSchedule(organization, sent).expect(201)).body).toMatchObject({ overtimeDuration: minutes });
  });

  it.each([[{ overtimeType: 'unlimited' }], [{}]])('never defaults overtimeDuration with %p', async (overtime) => {
    const body = bodyOf(await postSchedule(organization, { ...minimal(), ...overtime }).expect(201));
    expect(body).toMatchObject({ overtimeType: 'unlimited' });
    expect(body).not.toHaveProperty('overtimeDuration');
  });

  it('keeps an overtimeDuration sent with unlimited overtime', async () => {
    const sent = { ...minimal(), overtimeType: 'unlimited', overtimeDuration: 1.5 };
    expect((await postSchedule(organization, sent).expect(201)).body).toMatchObject({ overtimeDuration: 1.5 });
  });

  it('accepts team IDs in upper case and returns them in lower case', async () => {
    const sent = { teamId: team._id.toUpperCase(), startDate: defaultStart, teamTwoId: opponent._id.toUpperCase() };
    const body = bodyOf(await postSchedule(organization, sent).expect(201));
    expect(body).toMatchObject({ teamId: team._id, teamOneId: team._id, teamTwoId: opponent._id });
  });

  it('returns 40101 without a key before it validates the body', async () => {
    expectError(await server.call('post', '/v1/public-api/schedules').send({}), 40101);
  });
});
