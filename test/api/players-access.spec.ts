import { randomUUID } from 'node:crypto';
import { expectFieldError, expectError } from '../support/expectations.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { readPage } from '../support/paging.js';
import { RunningServer } from '../support/server.js';

let server: RunningServer;
let organization: TestOrganization;
let team: string;

beforeAll(async () => {
  server = await RunningServer.shared();
  organization = await createOrganization(server);
  team = (await organization.team())._id;
});

afterAll(async () => {
  await server.stop();
});

type Ask = (of: TestOrganization, teamId: string, playerId: string) => ReturnType<TestOrganization['call']>;
const onePlayer: [name: string, ask: Ask][] = [
  ['GET one', (of, teamId, id) => of.call('get', `/teams/${teamId}/players/${id}`)],
  ['PATCH', (of, teamId, id) => of.call('patch', `/teams/${teamId}/players/${id}`).send({ name: 'Taken' })],
  ['DELETE', (of, teamId, id) => of.call('delete', `/teams/${teamId}/players/${id}`)],
];
const list: Ask = (of, teamId) => of.call('get', `/teams/${teamId}/players`);
const post: Ask = (of, teamId) => {
  const call = of.call('post', `/teams/${teamId}/players`).set('idem-key', randomUUID());
  return call.send({ name: 'Intruder' });
};

describe.each<[string, Ask]>([['GET list', list], ['POST', post], ...onePlayer])('the team of %s', (_name, ask) => {
  it("may not be another organization's", async () => {
    const theirs = await createOrganization(server);
    const foreign = await theirs.player((await theirs.team())._id);
    expectError(await ask(organization, String(foreign['teamId']), foreign._id), 40301);
    expect(await readPage(() => list(theirs, String(foreign['teamId']), ''))).toEqual({ data: [foreign], total: 1 });
  });

  it.each([
    'f'.repeat(24),
    'a'.repeat(23),
    'hawks',
    '0',
    'null',
    'undefined',
    '%20',
    '%00',
    '..%2F..%2Fteams',
    '%7B%22%24ne%22%3Anull%7D',
    '__proto__',
    '%F0%9F%8F%88',
    'x'.repeat(2000),
  ])('is forbidden when it is none of the organization, whatever its shape: %s', async (teamId) => {
    const player = await organization.player(team);
    expectError(await ask(organization, teamId, player._id), 40301);
  });

  it('is not looked at without an API key', async () => {
    const response = await ask(organization, team, 'f'.repeat(24)).set('Authorization', '');
    expectError(response, 40101);
  });
});

describe.each(onePlayer)('the player of %s', (_name, ask) => {
  it.each(['jordan', '12', 'a'.repeat(23), 'a'.repeat(25), 'g'.repeat(24), '%20', '%7B%7D'])(
    'is a wrong field when its id is malformed (%s), even under a forbidden team',
    async (id) => {
      expectFieldError(await ask(organization, team, id), 'playerId');
      expectFieldError(await ask(organization, 'hawks', id), 'playerId');
    },
  );

  it('is not found when it is unknown', async () => {
    expectError(await ask(organization, team, 'f'.repeat(24)), 40403);
  });

  it('is not found through another team of the organization', async () => {
    const player = await organization.player((await organization.team())._id);
    expectError(await ask(organization, team, player._id), 40403);
    const path = `/teams/${String(player['teamId'])}/players/${player._id}`;
    expect((await organization.call('get', path).expect(200)).body).toEqual({ data: player });
  });

  it("is not found through one's own team when it is another organization's", async () => {
    const theirs = await createOrganization(server);
    const foreign = await theirs.player((await theirs.team())._id);
    expectError(await ask(organization, team, foreign._id), 40403);
    const path = `/teams/${String(foreign['teamId'])}/players/${foreign._id}`;
    expect((await theirs.call('get', path).expect(200)).body).toEqual({ data: foreign });
  });
});
