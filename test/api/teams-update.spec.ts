import { expectError, expectFieldError } from '../support/expectations.js';
import { invalidUrls, nonStrings, prototypeKeys, stringOf, withRawKey } from '../support/invalid-values.js';
import { createOrganization, type Stored, type TestOrganization } from '../support/organization.js';
import { readIds, readPage } from '../support/paging.js';
import { RunningServer } from '../support/server.js';

type Body = Record<string, unknown>;

let server: RunningServer;
let organization: TestOrganization;
let other: TestOrganization;
let season: Stored;

beforeAll(async () => {
  server = await RunningServer.shared();
  organization = await createOrganization(server);
  other = await createOrganization(server);
  season = await organization.season();
});

afterAll(() => server.stop());

const get = (id: string, of = organization) => of.call('get', `/teams/${id}`);
const patch = (id: string, body: Body) => organization.call('patch', `/teams/${id}`).send(body);
const read = async ({ _id }: Stored) => ((await get(_id).expect(200)).body as { data: Stored }).data;
let count = 0;
/** Creates a team with every field. */
const create = (fields: Body = {}) => {
  const own = { season: season._id, logoUrl: 'https://cdn.example.com/hawks.png', externalId: `erp-${++count}` };
  return organization.team({ ...own, ...fields });
};

/** IDs that name no team of the organization. */
const invalidTeams: [string, () => string | Promise<string>][] = [
  ['unknown', () => 'f'.repeat(24)],
  ['malformed', () => 'hawks'],
  ['one digit too long', async () => `${(await create())._id}0`],
  ["another organization's", async () => (await other.team())._id],
  ["another organization's in upper case", async () => (await other.team())._id.toUpperCase()],
];

describe('GET /teams/{teamId}', () => {
  it('returns the team with the same fields as on creation', async () => {
    const team = await create();
    expect((await get(team._id).expect(200)).body).toEqual({ data: team });
    expect((await get(team._id.toUpperCase()).expect(200)).body).toEqual({ data: team });
  });

  it.each(invalidTeams)('returns 40301 for an ID that is %s', async (_what, idOf) => {
    expectError(await get(await idOf()), 40301);
  });

  it('rejects a query parameter by name', async () => {
    expectFieldError(await organization.call('get', `/teams/${(await create())._id}?fields=name`), 'fields');
  });
});

describe('PATCH /teams/{teamId}', () => {
  const changes: Body = {
    name: 'Bay Hawks',
    footballType: 'tackle',
    ageGroup: '12U',
    gender: 'female',
    isArchived: true,
    logoUrl: 'https://cdn.example.com/other.png',
    externalId: 'crm-1',
  };

  it.each(Object.entries(changes))('changes only %s', async (field, value) => {
    const team = await create();
    const changed = (await patch(team._id, { [field]: value }).expect(200)).body as Stored;
    expect(changed).toEqual({ ...team, [field]: value, revision: 2, updatedAt: changed['updatedAt'] });
    expect(await read(team)).toEqual(changed);
    await patch(team._id, { externalId: null });
  });

  it('changes all fields at once, with the season', async () => {
    const team = await create();
    const all = { ...changes, season: (await organization.season())._id };
    const changed = (await patch(team._id, all).expect(200)).body as Stored;
    expect(changed).toEqual({ ...team, ...all, revision: 2, updatedAt: changed['updatedAt'] });
    expect(changed['createdAt']).toBe(team['createdAt']);
    expect(Date.parse(String(changed['updatedAt']))).toBeGreaterThanOrEqual(Date.parse(String(team['updatedAt'])));
    expect(await read(team)).toEqual(changed);
  });

  it.each([
    ['no field', () => ({})],
    ['its current values', (team: Stored) => ({ name: team['name'], season: team['season'], isArchived: false })],
    ['its season in upper case', (team: Stored) => ({ season: String(team['season']).toUpperCase() })],
  ])('with %s changes nothing', async (_what, bodyOf) => {
    const team = await create();
    expect((await patch(team._id, bodyOf(team)).expect(200)).body).toEqual(team);
    expect(await read(team)).toEqual(team);
  });

  it.each(['logoUrl', 'externalId'])('clears %s with null, which is then omitted', async (field) => {
    const team = await create();
    const { [field]: before, ...rest } = team;
    expect(before).toBeDefined();
    const changed = (await patch(team._id, { [field]: null }).expect(200)).body as Stored;
    expect(changed).toEqual({ ...rest, revision: 2, updatedAt: changed['updatedAt'] });
    expect(await read(team)).toEqual(changed);
    expect((await patch(team._id, { [field]: null }).expect(200)).body).toEqual(changed);
  });

  it.each(['name', 'season', 'footballType', 'ageGroup', 'gender', 'isArchived'])(
    'rejects null for %s, and changes nothing',
    async (field) => {
      const team = await create();
      expectFieldError(await patch(team._id, { [field]: null, logoUrl: null }), field);
      expect(await read(team)).toEqual(team);
    },
  );

  it.each(
    ['name', 'footballType', 'ageGroup', 'gender'].flatMap((field) =>
      nonStrings.map((one) => [field, ...one] as const),
    ),
  )('rejects as %s: %s', async (field, _what, value) => {
    expectFieldError(await patch((await create())._id, { [field]: value }), field);
  });

  it.each([
    ['name', 120],
    ['footballType', 40],
    ['ageGroup', 40],
    ['gender', 40],
  ])('accepts a %s of at most %i code points', async (field, max) => {
    const team = await create();
    expect((await patch(team._id, { [field]: stringOf(max) }).expect(200)).body).toMatchObject({
      [field]: stringOf(max),
    });
    expectFieldError(await patch(team._id, { [field]: stringOf(max + 1) }), field);
    expectFieldError(await patch(team._id, { [field]: '' }), field);
  });

  it.each(['true', 1, 0, '', [], {}])('rejects %j as isArchived', async (isArchived) => {
    expectFieldError(await patch((await create())._id, { isArchived }), 'isArchived');
  });

  it.each(invalidUrls)('rejects %s as logoUrl', async (_what, logoUrl) => {
    expectFieldError(await patch((await create())._id, { logoUrl }), 'logoUrl');
  });

  it.each(['organizationId', '_id', 'revision', 'createdAt', 'updatedAt', 'createdBy', 'deletedAt', 'coach'])(
    'rejects the field %s by name',
    async (field) => {
      const team = await create();
      expectFieldError(await patch(team._id, { [field]: team._id }), field);
    },
  );

  it.each(prototypeKeys)('rejects the raw key %s by name', async (key) => {
    const call = organization.call('patch', `/teams/${(await create())._id}`).set('Content-Type', 'application/json');
    expectFieldError(await call.send(withRawKey({ name: 'Owls' }, key)), key);
  });

  it.each(invalidTeams)('returns 40301 for an ID that is %s, also with a foreign season', async (_what, idOf) => {
    const id = await idOf();
    for (const body of [{}, { name: 'Owls' }, { season: (await other.season())._id }, { season: 'f'.repeat(24) }])
      expectError(await patch(id, body), 40301);
  });

  it('does not change a team of another organization', async () => {
    const foreign = await other.team();
    expectError(await patch(foreign._id, { name: 'Owls' }), 40301);
    expect((await get(foreign._id, other).expect(200)).body).toEqual({ data: foreign });
  });

  it.each([
    ['an unknown season', 40404, () => 'f'.repeat(24)],
    ["another organization's season", 40302, async () => (await other.season())._id],
    ['a malformed season', 40001, () => 'spring-2027'],
  ])('rejects %s with %i, and changes nothing', async (_what, error, seasonOf) => {
    const team = await create();
    expectError(await patch(team._id, { season: await seasonOf(), name: 'Owls' }), error);
    expect(await read(team)).toEqual(team);
  });

  it('loses no change if requests change different fields at once', async () => {
    const team = await create();
    const sent = { name: 'Owls', footballType: 'touch', ageGroup: '14U', gender: 'male', isArchived: true };
    await Promise.all(Object.entries(sent).map(([field, value]) => patch(team._id, { [field]: value }).expect(200)));
    expect(await read(team)).toMatchObject({ ...sent, revision: 6 });
  });

  it('keeps the players and schedules of a team that it archives, which can be used and restored', async () => {
    const team = await create();
    const player = await organization.player(team._id);
    const schedule = await organization.schedule(team._id);
    await patch(team._id, { isArchived: true }).expect(200);
    const dataOf = async (path: string) => ((await organization.call('get', path).expect(200)).body as Body)['data'];
    expect(await dataOf(`/teams/${team._id}/players`)).toEqual([player]);
    expect(await dataOf(`/schedules?teamId=${team._id}`)).toEqual([schedule]);
    await organization.player(team._id);
    await organization.schedule(team._id);
    expect((await patch(team._id, { isArchived: false }).expect(200)).body).toMatchObject({ revision: 3 });
  });
});

describe('GET /teams with filters', () => {
  let own: TestOrganization;
  let seasons: [Stored, Stored];
  let teams: Stored[];
  const ids = (query: string) => readIds((path) => own.call('get', `/teams${path}`), query);

  beforeAll(async () => {
    own = await createOrganization(server);
    seasons = [await own.season(), await own.season()];
    teams = [];
    for (let index = 0; index < 6; index++)
      teams.push(await own.team({ season: seasons[index % 2]?._id, externalId: `team-${index}` }));
    for (const index of [2, 3])
      await own
        .call('patch', `/teams/${teams[index]?._id ?? ''}`)
        .send({ isArchived: true })
        .expect(200);
  });

  const at = (...indexes: number[]) => indexes.map((index) => teams[index]?._id);

  it('lists the teams that match every filter, oldest first', async () => {
    const [first, second] = [seasons[0]._id, seasons[1]._id];
    expect(await ids(`?season=${first}`)).toEqual(at(0, 2, 4));
    expect(await ids(`?season=${second.toUpperCase()}`)).toEqual(at(1, 3, 5));
    expect(await ids('?isArchived=true')).toEqual(at(2, 3));
    expect(await ids('?isArchived=false')).toEqual(at(0, 1, 4, 5));
    expect(await ids('?externalId=team-4')).toEqual(at(4));
    expect(await ids(`?season=${first}&isArchived=false`)).toEqual(at(0, 4));
    expect(await ids(`?season=${first}&isArchived=true&externalId=team-2`)).toEqual(at(2));
    expect(await ids(`?season=${second}&externalId=team-2`)).toEqual([]);
  });

  it('counts only these teams', async () => {
    const page = await readPage((path) => own.call('get', `/teams${path}`), `?season=${seasons[0]._id}&limit=2`);
    expect([page.data.length, page.total]).toEqual([2, 3]);
  });

  it('finds nothing by the season or external ID of another organization', async () => {
    const foreign = await other.team({ externalId: 'foreign' });
    expect(await ids(`?season=${String(foreign['season'])}`)).toEqual([]);
    expect(await ids('?externalId=foreign')).toEqual([]);
  });

  it.each([
    ['season=spring', 'season'],
    ['season=', 'season'],
    ['isArchived=1', 'isArchived'],
    ['isArchived=TRUE', 'isArchived'],
    ['isArchived=', 'isArchived'],
    ['isArchived=true&isArchived=false', 'isArchived'],
    ['externalId=', 'externalId'],
    ['externalId=a/b', 'externalId'],
    ['name=Hawks', 'name'],
  ])('rejects ?%s', async (query, field) => {
    expectFieldError(await own.call('get', `/teams?${query}`), field);
  });

  it('continues a filtered list with its cursor, which is valid only with the same filters', async () => {
    const pageOf = async (query: string) =>
      (await own.call('get', `/teams?${query}`).expect(200)).body as { data: Stored[]; nextCursor?: string };
    const filters = `season=${seasons[0]._id}&limit=2`;
    const first = await pageOf(filters);
    const cursor = encodeURIComponent(String(first.nextCursor));
    const last = await pageOf(`${filters}&cursor=${cursor}`);
    expect([...first.data, ...last.data].map(({ _id }) => _id)).toEqual(at(0, 2, 4));
    for (const others of ['', `season=${seasons[1]._id}&`, `season=${seasons[0]._id}&isArchived=false&`])
      expectFieldError(await own.call('get', `/teams?${others}limit=2&cursor=${cursor}`), 'cursor');
  });
});

describe('the name of a team that was changed', () => {
  const startDate = '2027-05-01T10:00:00Z';
  const titleOf = async (team: Stored) => (await organization.schedule(team._id))['eventTitle'];
  const renames: Record<string, (team: Stored, name: string) => PromiseLike<{ status: number }>> = {
    'a PATCH': (team, name) => patch(team._id, { name }),
    'an upsert': (team, name) =>
      organization.call('patch', `/teams/by-external-id/${String(team['externalId'])}`).send({ name }),
    'a bulk upsert': (team, name) =>
      organization.call('post', '/teams/bulk').send({ rows: [{ externalId: team['externalId'], name }] }),
  };

  it.each(Object.entries(renames))(
    'by %s is at once in new titles, also as that of the opponent',
    async (_, rename) => {
      const [team, host] = [await create(), await organization.team({ name: 'Owls' })];
      // The name is cached.
      for (let times = 0; times < 3; times++) expect(await titleOf(team)).toBe('Hawks vs Foxes');
      for (const name of ['Bay Hawks', 'City Hawks']) {
        expect((await rename(team, name)).status).toBe(200);
        expect(await titleOf(team)).toBe(`${name} vs Foxes`);
        const against = { teamId: host._id, teamTwoId: team._id, startDate };
        const game = (await organization.call('post', '/schedules').send(against).expect(201)).body as Stored;
        expect(game).toMatchObject({ teamTwoName: name, eventTitle: `Owls vs ${name}` });
      }
    },
  );
});
