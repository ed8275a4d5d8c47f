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

/** What is created, with which defaults, and what is answered. */
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

  const least = () => ({ teamId: team._id, startDate: defaultStart, teamTwoName: 'Wolves' });

  it('answers 201 with the schedule itself, unwrapped, every unset field left out and every omitted one at its default', async () => {
    const before = Date.now();
    const response = await postSchedule(organization, least()).expect(201);
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

  it('keeps every sent value as sent, and answers it on creation', async () => {
    const body = bodyOf(await postSchedule(organization, everything()).expect(201));
    expect(body).toEqual({
      ...everything(),
      _id: expect.any(String) as string,
      organizationId: organization.id,
      teamOneId: team._id,
      eventTitle: 'Hawks vs The Foxes',
      createdAt: expect.any(String) as string,
      updatedAt: expect.any(String) as string,
    });
  });

  it.each([
    ['the least that can be sent', least],
    ['every field', everything],
  ])('answers a schedule made of %s alike from create, get and list', async (_what, body) => {
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

  it('stores who created the schedule, the acting user of the key, without answering it', async () => {
    const created = (await postSchedule(organization, least()).expect(201)).body as Stored;
    const schedules = (await server.database()).collection('schedules');
    const stored = await schedules.findOne({ _id: new ObjectId(created._id) });
    expect(String(stored?.['createdBy'])).toBe(organization.creator._id);
    expect(created).not.toHaveProperty('createdBy');
  });

  it.each(toCases(allowedValues))('accepts and keeps %s: %p', async (field, value) => {
    const response = await postSchedule(organization, { ...least(), overtimeDuration: 5, [field]: value }).expect(201);
    expect((response.body as Stored)[field]).toBe(value);
    expect((await readSchedule(organization, (response.body as Stored)._id))[field]).toBe(value);
  });

  it.each([20, 24, 30, 40, 48, 50, 60])(
    'ends %i minutes after its start when that is its duration',
    async (duration) => {
      const body = bodyOf(await postSchedule(organization, { ...least(), duration }).expect(201));
      expect(body['endDate']).toBe(minutesAfterStart(duration));
    },
  );

  it('keeps a sent endDate beside a duration that says otherwise, and the duration too', async () => {
    const sent = { ...least(), duration: 20, endDate: minutesAfterStart(120) };
    const body = bodyOf(await postSchedule(organization, sent).expect(201));
    expect(body).toMatchObject({ duration: 20, endDate: minutesAfterStart(120) });
  });

  it('accepts an endDate one millisecond after startDate', async () => {
    const endDate = '2027-05-01T10:00:00.001Z';
    const body = bodyOf(await postSchedule(organization, { ...least(), endDate }).expect(201));
    expect(body['endDate']).toBe(endDate);
  });

  it.each([
    ['equal to', defaultStart],
    ['before', minutesAfterStart(-1)],
    ['in another zone equal to', '2027-05-01T12:00:00+02:00'],
  ])('refuses an endDate %s startDate', async (_how, endDate) => {
    expectFieldError(await postSchedule(organization, { ...least(), endDate }), 'endDate');
  });

  it('sets fieldSizeInYard to 50 when enableYardage is true and none is sent', async () => {
    const body = bodyOf(await postSchedule(organization, { ...least(), enableYardage: true }).expect(201));
    expect(body['fieldSizeInYard']).toBe(50);
  });

  it('keeps a sent fieldSizeInYard when enableYardage is true', async () => {
    const sent = { ...least(), enableYardage: true, fieldSizeInYard: 80 };
    expect((await postSchedule(organization, sent).expect(201)).body).toMatchObject({ fieldSizeInYard: 80 });
  });

  it.each([[{ enableYardage: false }], [{}]])('leaves fieldSizeInYard unset with %p', async (yardage) => {
    const body = bodyOf(await postSchedule(organization, { ...least(), ...yardage }).expect(201));
    expect(body).not.toHaveProperty('fieldSizeInYard');
  });

  it('keeps a fieldSizeInYard that is sent without enableYardage', async () => {
    const body = bodyOf(await postSchedule(organization, { ...least(), fieldSizeInYard: 100 }).expect(201));
    expect(body).toMatchObject({ enableYardage: false, fieldSizeInYard: 100 });
  });

  it('refuses overtimeType limited without overtimeDuration', async () => {
    expectFieldError(await postSchedule(organization, { ...least(), overtimeType: 'limited' }), 'overtimeDuration');
  });

  it.each([1, 1.5, 10, 1000])('accepts an overtimeDuration of %p minutes with limited overtime', async (minutes) => {
    const sent = { ...least(), overtimeType: 'limited', overtimeDuration: minutes };
    expect((await postSchedule(organization, sent).expect(201)).body).toMatchObject({ overtimeDuration: minutes });
  });

  it.each([[{ overtimeType: 'unlimited' }], [{}]])('never defaults overtimeDuration with %p', async (overtime) => {
    const body = bodyOf(await postSchedule(organization, { ...least(), ...overtime }).expect(201));
    expect(body).toMatchObject({ overtimeType: 'unlimited' });
    expect(body).not.toHaveProperty('overtimeDuration');
  });

  it('keeps an overtimeDuration that is sent with unlimited overtime', async () => {
    const sent = { ...least(), overtimeType: 'unlimited', overtimeDuration: 1.5 };
    expect((await postSchedule(organization, sent).expect(201)).body).toMatchObject({ overtimeDuration: 1.5 });
  });

  it('takes the ids of teams in capital hexadecimal digits and answers them in small ones', async () => {
    const sent = { teamId: team._id.toUpperCase(), startDate: defaultStart, teamTwoId: opponent._id.toUpperCase() };
    const body = bodyOf(await postSchedule(organization, sent).expect(201));
    expect(body).toMatchObject({ teamId: team._id, teamOneId: team._id, teamTwoId: opponent._id });
  });

  it('refuses every request without a key before it looks at the body', async () => {
    expectError(await server.call('post', '/v1/public-api/schedules').send({}), 40101);
  });
});
