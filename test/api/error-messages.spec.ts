import type { Response } from 'supertest';
import { expectFieldError, expectError } from '../support/expectations.js';
import { createOrganization, type Stored, type TestOrganization } from '../support/organization.js';
import { patchSchedule, postSchedule, defaultStart } from '../support/schedules.js';
import { RunningServer } from '../support/server.js';

const someId = 'f'.repeat(24);

/** Messages name the field, parameter or header, and say what to correct. */
describe('error messages', () => {
  let server: RunningServer;
  let organization: TestOrganization;
  let schedule: Stored;
  let player: Stored;

  beforeAll(async () => {
    server = await RunningServer.shared();
    organization = await createOrganization(server);
    const team = await organization.team();
    schedule = await organization.schedule(team._id);
    player = await organization.player(team._id);
  });
  afterAll(() => server.stop());

  const teamId = () => String(player['teamId']);
  const playersPath = () => `/teams/${teamId()}/players`;
  const expectProblem = (response: Response, field: string, problem: string) =>
    expect(expectFieldError(response, field).details).toContainEqual({ field, message: `${field} ${problem}` });

  it.each(['teamId', 'startDate'])('say that a missing field is required: %s', async (field) => {
    expectProblem(await postSchedule(organization, { teamTwoName: 'Foxes' }), field, 'is required');
  });

  it('say that a missing query parameter is required', async () => {
    expectProblem(await organization.call('delete', `/schedules/${schedule._id}`), 'teamId', 'is required');
  });

  it('say that a missing idem-key is required, and what a malformed one must be', async () => {
    const create = () => organization.call('post', playersPath()).send({ name: 'Jordan Lee' });
    expect(expectError(await create(), 40003).message).toBe('The idem-key header is required');
    const malformed = await create().set('idem-key', 'a b');
    expect(expectError(malformed, 40003).message).toBe(
      'The idem-key header must have 1 to 255 visible ASCII characters',
    );
  });

  it.each(['2027-02-30T10:00:00Z', '2027-02-29T10:00', '2027-13-01T10:00:00+02:00'])(
    'say that an impossible date is not a calendar date: %s',
    async (startDate) => {
      const body = { teamId: teamId(), teamTwoName: 'Foxes', startDate };
      expectProblem(await postSchedule(organization, body), 'startDate', 'is not a calendar date');
      const query = `/schedules?startDateFrom=${encodeURIComponent(startDate)}`;
      expectProblem(await organization.call('get', query), 'startDateFrom', 'is not a calendar date');
    },
  );

  it.each(['2027-02-30', '2027-05-01T24:00:00Z', '2200-01-01T00:00:00Z', 'tomorrow'])(
    'say what any other invalid date-time must be: %s',
    async (startDate) => {
      const body = { teamId: teamId(), teamTwoName: 'Foxes', startDate };
      const problem = 'must be an ISO 8601 date-time such as 2027-05-01T10:00:00Z, in the years 1970 to 2199';
      expectProblem(await postSchedule(organization, body), 'startDate', problem);
    },
  );

  it.each(['_id', 'organizationId', 'teamOneId', 'createdAt', 'updatedAt'])(
    'say that a fixed field of a schedule cannot be changed: %s',
    async (field) => {
      const change = { teamId: teamId(), [field]: someId };
      expectProblem(await patchSchedule(organization, schedule._id, change), field, 'cannot be changed');
    },
  );

  it.each(['_id', 'teamId', 'organizationId', 'createdAt', 'updatedAt'])(
    'say that a fixed field of a player cannot be changed: %s',
    async (field) => {
      const response = await organization.call('patch', `${playersPath()}/${player._id}`).send({ [field]: someId });
      expectProblem(response, field, 'cannot be changed');
    },
  );

  it.each(['startTime', 'deletedAt', 'toString'])('say that any other field is unknown: %s', async (field) => {
    const fields = { teamId: teamId(), [field]: defaultStart };
    expectProblem(await patchSchedule(organization, schedule._id, fields), field, 'is not a known field');
    expectProblem(await postSchedule(organization, { ...fields, teamTwoName: 'Foxes' }), field, 'is not a known field');
  });

  it('call an unknown query parameter a parameter, even if the route has none', async () => {
    for (const path of ['/teams?sort=name', `/schedules/${schedule._id}?sort=name`]) {
      expectProblem(await organization.call('get', path), 'sort', 'is not a known parameter');
    }
  });

  it.each([
    ['name', 12, 'must be a string'],
    ['name', ' ', 'must not be blank'],
    ['name', 'x'.repeat(121), 'must have at most 120 characters'],
    ['jerseyNumber', '12345', 'must be a string of 1 to 4 visible characters'],
    ['position', 'QB', 'must be an array of strings'],
    ['position', ['QB', 'qb'], 'must not repeat a position'],
    ['email', 'dana', 'must be an email address'],
    ['profilePicture', '/a.png', 'must be an http or https URL'],
  ])('say what an invalid %s must be: %j', async (field, value, problem) => {
    const response = await organization.call('patch', `${playersPath()}/${player._id}`).send({ [field]: value });
    expectProblem(response, field, problem);
  });

  it('keep status and code for an unknown team', async () => {
    const body = { teamId: someId, teamTwoName: 'Foxes', startDate: defaultStart };
    expectError(await postSchedule(organization, body), 40301);
  });
});
