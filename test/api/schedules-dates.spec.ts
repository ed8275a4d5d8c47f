import type { Response } from 'supertest';
import { expectFieldError } from '../support/expectations.js';
import { createOrganization, type Stored, type TestOrganization } from '../support/organization.js';
import { patchSchedule, postSchedule, defaultStart } from '../support/schedules.js';
import { RunningServer } from '../support/server.js';

/** What is sent, and the returned date-time. */
const accepted: [sent: string, returned: string][] = [
  ['2027-05-01T10:00:00Z', '2027-05-01T10:00:00.000Z'],
  ['2027-05-01T10:00:00.000Z', '2027-05-01T10:00:00.000Z'],
  ['2027-05-01T10:00Z', '2027-05-01T10:00:00.000Z'],
  ['2027-05-01T10:00:00.5Z', '2027-05-01T10:00:00.500Z'],
  ['2027-05-01T10:00:00.25Z', '2027-05-01T10:00:00.250Z'],
  ['2027-05-01T10:00:00.123456789Z', '2027-05-01T10:00:00.123Z'],
  ['2027-05-01T10:00:00.9999Z', '2027-05-01T10:00:00.999Z'],
  ['2027-05-01T12:00:00+02:00', '2027-05-01T10:00:00.000Z'],
  ['2027-05-01T12:00:00+0200', '2027-05-01T10:00:00.000Z'],
  ['2027-05-01T05:30:00-04:30', '2027-05-01T10:00:00.000Z'],
  ['2027-05-01T05:30:00-0430', '2027-05-01T10:00:00.000Z'],
  ['2027-05-01T12:00+02:00', '2027-05-01T10:00:00.000Z'],
  ['2027-05-01T12:00:00.75+02:00', '2027-05-01T10:00:00.750Z'],
  ['2027-05-01T10:00:00+00:00', '2027-05-01T10:00:00.000Z'],
  ['2027-05-01T00:30:00+02:00', '2027-04-30T22:30:00.000Z'],
  ['2027-12-31T23:30:00-01:00', '2028-01-01T00:30:00.000Z'],
  ['2027-05-01T10:00:00', '2027-05-01T10:00:00.000Z'],
  ['2027-05-01T10:00', '2027-05-01T10:00:00.000Z'],
  ['2027-05-01T10:00:00.25', '2027-05-01T10:00:00.250Z'],
  ['2027-07-01T10:00:00', '2027-07-01T10:00:00.000Z'],
  ['2028-02-29T10:00:00Z', '2028-02-29T10:00:00.000Z'],
  ['1970-01-01T00:00:01Z', '1970-01-01T00:00:01.000Z'],
  ['2199-12-31T23:00:00.999Z', '2199-12-31T23:00:00.999Z'],
];

const rejected = [
  '2027-05-01',
  '2027-05',
  '10:00:00Z',
  '2027-02-30T10:00:00Z',
  '2027-02-29T10:00:00Z',
  '2100-02-29T10:00:00Z',
  '2027-04-31T10:00:00Z',
  '2027-13-01T10:00:00Z',
  '2027-00-10T10:00:00Z',
  '2027-05-00T10:00:00Z',
  '2027-05-01T25:00:00Z',
  '2027-05-01T10:60:00Z',
  '2027-05-01T10:00:61Z',
  '2027-05-01T10:00:00+25:00',
  '2027-05-01T10:00:00 UTC',
  '2027-05-01T10:00:00ZZ',
  '1969-12-31T23:59:59Z',
  '2200-01-01T00:00:00Z',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59Z',
  '+012027-05-01T10:00:00Z',
  '1809165600000',
  '1809165600',
  'tomorrow',
  'May 1, 2027 10:00',
  'Sat, 01 May 2027 10:00:00 GMT',
  'Invalid Date',
];

const others = ['', ' ', '\u0000', 1_809_165_600_000, 1_809_165_600, -1, 0, true, null, [], {}, [defaultStart]];

/** Date-times are ISO 8601, UTC without an offset, and returned in UTC with milliseconds. */
describe('a date-time of a schedule', () => {
  let server: RunningServer;
  let organization: TestOrganization;
  let team: Stored;

  beforeAll(async () => {
    server = await RunningServer.shared();
    organization = await createOrganization(server);
    team = await organization.team();
  });
  afterAll(() => server.stop());

  const post = (fields: Record<string, unknown>) =>
    postSchedule(organization, { teamId: team._id, teamTwoName: 'Foxes', ...fields });

  async function patch(fields: Record<string, unknown>): Promise<Response> {
    const created = await organization.schedule(team._id, { startDate: '1970-01-01T00:00:00Z' });
    return patchSchedule(organization, created._id, { teamId: team._id, ...fields });
  }

  describe.each<[string, string, (sent: unknown) => Promise<Response>]>([
    ['POST', 'startDate', async (sent) => post({ startDate: sent })],
    ['POST', 'endDate', async (sent) => post({ startDate: '1970-01-01T00:00:00Z', endDate: sent })],
    ['PATCH', 'startDate', (sent) => patch({ startDate: sent })],
    ['PATCH', 'endDate', (sent) => patch({ endDate: sent })],
  ])('in %s as %s', (method, field, send) => {
    it.each(accepted)('accepts %s as %s', async (sent, returned) => {
      const response = await send(sent);
      expect([200, 201]).toContain(response.status);
      expect((response.body as Stored)[field]).toBe(returned);
    });

    // In a PATCH, `null` computes the end: schedules-update-rules.spec.ts.
    const computes = (sent: unknown) => method === 'PATCH' && field === 'endDate' && sent === null;

    it.each([...rejected, ...others].filter((sent) => !computes(sent)))('rejects %j', async (sent) => {
      expectFieldError(await send(sent), field);
    });
  });

  it('can be the first millisecond of 1970', async () => {
    const response = await post({ startDate: '1970-01-01T00:00:00Z' });
    expect(response.body).toMatchObject({
      startDate: '1970-01-01T00:00:00.000Z',
      endDate: '1970-01-01T00:30:00.000Z',
    });
  });

  describe.each(['startDateFrom', 'startDateTo'])('in GET /schedules as %s', (parameter) => {
    it.each(accepted)('accepts %s as %s', async (sent, returned) => {
      const { _id: teamId } = await organization.team({ season: team['season'] });
      const justBefore = new Date(Date.parse(returned) - 1).toISOString();
      const before = await organization.schedule(teamId, { startDate: justBefore });
      const then = await organization.schedule(teamId, { startDate: returned });
      const response = await organization
        .call('get', '/schedules')
        .query({ teamId, [parameter]: sent })
        .expect(200);
      expect((response.body as { data: Stored[] }).data).toEqual(parameter === 'startDateFrom' ? [then] : [before]);
    });

    it.each([...rejected, '', ' '])('rejects %j', async (sent) => {
      expectFieldError(await organization.call('get', '/schedules').query({ [parameter]: sent }), parameter);
    });

    it.each(['2027-05-01T12:00:00+02:00', '2027-05-01T12:00:00+0200', '2027-05-01T12:00+02:00'])(
      'accepts the offset of %s even if its + is not escaped and arrives as a space',
      async (sent) => {
        const own = await createOrganization(server);
        const { _id } = await own.team();
        const before = await own.schedule(_id, { startDate: '2027-05-01T09:59:59.999Z' });
        const then = await own.schedule(_id, { startDate: defaultStart });
        const response = await own.call('get', `/schedules?${parameter}=${sent}`).expect(200);
        expect((response.body as { data: Stored[] }).data).toEqual(parameter === 'startDateFrom' ? [then] : [before]);
      },
    );
  });
});
