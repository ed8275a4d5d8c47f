import { randomUUID } from 'node:crypto';
import { expectFieldError, expectError } from '../support/expectations.js';
import { createOrganization, type Stored, type TestOrganization } from '../support/organization.js';
import { RawConnection } from '../support/raw-http.js';
import { RunningServer } from '../support/server.js';

let server: RunningServer;
let organization: TestOrganization;
let team: Stored;

beforeAll(async () => {
  server = await RunningServer.shared();
  organization = await createOrganization(server);
  team = await organization.team();
});

afterAll(() => server.stop());

describe('a query', () => {
  const padding = '&'.repeat(1_500);

  it('is read completely: an invalid parameter after 1,500 others is reported', async () => {
    expectFieldError(await organization.call('get', `/schedules?${padding}page=0`), 'page');
    expectFieldError(await organization.call('get', `/seasons?${padding}organizationId=1`), 'organizationId');
    const categories = 'categories=qb&'.repeat(1_001);
    const path = `/schedules/${team._id}/player-statistics?${categories}bogus=1`;
    expectFieldError(await organization.call('get', path), 'bogus');
  });

  it('is read completely: an unknown team after 1,500 parameters returns 40301', async () => {
    expectError(await organization.call('get', `/schedules?${padding}teamId=zzz`), 40301);
  });
});

describe('a body with a Content-Length above the limit', () => {
  it('returns 413 before it has arrived', async () => {
    const connection = await RawConnection.open(server.url);
    const key = organization.key.apiKey;
    const head = ['POST /v1/public-api/teams HTTP/1.1', 'Host: x', `Authorization: Bearer ${key}`];
    connection.send([...head, 'Content-Type: application/json', 'Content-Length: 500000', '', '{"name":'].join('\r\n'));
    await connection.receives('"error":41300');
  });
});

describe('the end of a schedule', () => {
  const late = { startDate: '2199-12-31T23:59:00Z', teamTwoName: 'Foxes' };

  it('is rejected if the duration puts it after 2199', async () => {
    const response = await organization.call('post', '/schedules').send({ teamId: team._id, ...late });
    expectFieldError(response, 'startDate');
  });

  it('is rejected if a new start shifts it after 2199, and nothing changes', async () => {
    const long = { startDate: '1970-01-01T00:00:00Z', endDate: '2199-12-01T00:00:00Z' };
    const schedule = await organization.schedule(team._id, long);
    const change = { teamId: team._id, startDate: '2199-12-31T00:00:00Z' };

    expectFieldError(await organization.call('patch', `/schedules/${schedule._id}`).send(change), 'startDate');
    const response = await organization.call('get', `/schedules/${schedule._id}`).expect(200);
    expect(response.body).toEqual({ data: schedule });
  });
});

describe('a password', () => {
  it.each(['pass\ud800word', 'pass\u0000word'])(
    'is rejected if no client could send it again: %j',
    async (password) => {
      const creator = { name: 'Dana Reyes', email: `${randomUUID()}@example.com`, password };
      const response = await server.asSuperAdmin('post', '/organizations').send({ name: 'Bay Area', creator });
      expectFieldError(response, 'creator.password');
    },
  );

  it('with a lone surrogate is rejected on login, too', async () => {
    const login = { email: organization.creator.email, password: 'pass\ud800word' };
    expectFieldError(await server.call('post', '/auth/login').send(login), 'password');
  });
});

describe('a URL', () => {
  it.each(['https://my_bucket.s3.amazonaws.com/logo.png', 'https://example.com./logo.png', 'http://localhost/%20a'])(
    'is accepted if browsers open it: %s',
    async (logoUrl) => {
      expect((await organization.team({ logoUrl }))['logoUrl']).toBe(logoUrl);
    },
  );

  it.each(['https://example.com/%zz', 'https://example.com/a b', 'ftp://example.com/a', '//example.com/a'])(
    'is rejected if it is invalid: %s',
    async (logoUrl) => {
      const response = await organization.call('post', '/teams').send({ name: 'A', season: team['season'], logoUrl });
      expectFieldError(response, 'logoUrl');
    },
  );
});

describe('a name', () => {
  it('of a private-use character is not blank', async () => {
    expect((await organization.team({ name: '\ue000' }))['name']).toBe('\ue000');
  });
});

describe('a nested object', () => {
  it('has one error if it is missing or of another type', async () => {
    for (const creator of [undefined, null, 'Dana', [], 5]) {
      const response = await server.asSuperAdmin('post', '/organizations').send({ name: 'Bay Area', creator });
      expect({ creator, details: expectFieldError(response, 'creator').details }).toMatchObject({ details: [{}] });
    }
  });
});
