import { expectError, expectFieldError } from '../support/expectations.js';
import { type Stored, TestOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';

const server = RunningServer.forTests();
const organization = TestOrganization.forTests(server);
const startDate = '2027-05-01T10:00:00Z';
let [hawks, foxes]: Stored[] = [];

beforeAll(async () => {
  hawks = await organization.team({ externalId: 'hawks', name: 'Hawks' });
  foxes = await organization.team({ externalId: 'foxes', name: 'Foxes' });
});

const teams = { teamExternalId: 'hawks', teamTwoExternalId: 'foxes' };
const create = (body: object) => organization.call('post', '/schedules').send({ startDate, ...body });
const upsert = (externalId: string, body: object) =>
  organization.call('patch', `/schedules/by-external-id/${externalId}`).send(body);
const bulk = (...rows: object[]) => organization.call('post', '/schedules/bulk').send({ rows });
const asTeams = () => ({ teamOneId: hawks?._id, teamTwoId: foxes?._id, teamTwoName: 'Foxes' });

describe('a request that names teams by external IDs', () => {
  it('creates the same schedule as one with their IDs', async () => {
    const expected = { ...asTeams(), teamId: hawks?._id, eventTitle: 'Hawks vs Foxes' };
    expect((await create(teams).expect(201)).body).toMatchObject(expected);
    expect((await upsert('g-1', { ...teams, startDate }).expect(201)).body).toMatchObject(expected);
    await bulk({ externalId: 'g-2', ...teams, startDate }).expect(200);
    const read = await organization.call('get', '/schedules/by-external-id/g-2').expect(200);
    expect(read.body).toMatchObject({ data: expected });
  });

  it('updates a schedule, and leaves one with these teams unchanged', async () => {
    const game = (await create({ teamId: hawks?._id, teamTwoName: 'Guests', externalId: 'g-3' })).body as Stored;
    const patch = (body: object) => organization.call('patch', `/schedules/${game._id}`).send(body);
    expect((await patch(teams).expect(200)).body).toMatchObject({ ...asTeams(), revision: 2 });
    expect((await upsert('g-3', teams).expect(200)).body).toMatchObject({ revision: 2 });
    expect((await bulk({ externalId: 'g-3', ...teams })).body).toMatchObject({ data: [{ result: 'unchanged' }] });
    expectError(await patch({ teamExternalId: 'foxes' }), 40304);
    expectFieldError(await patch({ locationName: 'Field 3' }), 'teamId');
  });

  it('moves a player', async () => {
    const player = await organization.player(String(hawks?._id));
    const path = `/teams/${hawks?._id}/players/${player._id}`;
    const moved = await organization.call('patch', path).send({ teamExternalId: 'foxes' }).expect(200);
    expect(moved.body).toMatchObject({ _id: player._id, teamId: foxes?._id });
  });

  it('has no game of a team against itself, whichever IDs name it', async () => {
    expectFieldError(await create({ teamExternalId: 'hawks', teamTwoId: hawks?._id }), 'teamTwoId');
  });

  it.each<[string, object, string]>([
    ['both IDs of the owner', { teamId: 'x', ...teams }, 'teamExternalId'],
    ['both IDs of the opponent', { teamTwoId: 'x', ...teams }, 'teamTwoExternalId'],
    ['a malformed ID', { ...teams, teamExternalId: 'a b' }, 'teamExternalId'],
    ['null', { ...teams, teamExternalId: null }, 'teamExternalId'],
    ['none of the owner', { teamTwoExternalId: 'foxes' }, 'teamId'],
  ])('is rejected with %s', async (_what, body, field) => {
    expectFieldError(await create(body), field);
    const answer = (await bulk({ externalId: 'g-9', startDate, ...body })).body as object;
    expect(answer).toMatchObject({ data: [{ error: { error: 40001, details: [{ field }] } }] });
  });

  it('is rejected if it unlinks the opponent, too', async () => {
    const game = await organization.schedule(String(hawks?._id));
    const path = `/schedules/${game._id}`;
    expectFieldError(await organization.call('patch', path).send({ ...teams, teamTwoId: null }), 'teamTwoExternalId');
  });

  it.each(['teamExternalId', 'teamTwoExternalId'])('is forbidden with an unknown %s', async (field) => {
    const { details } = expectError(await create({ ...teams, [field]: 'nobody' }), 40301);
    expect(details?.map((one) => one.field)).toEqual([field]);
  });
});
