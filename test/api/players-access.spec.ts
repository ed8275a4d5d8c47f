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

type Send = (of: TestOrganization, teamId: string, playerId: string) => ReturnType<TestOrganization['call']>;
const onePlayer: [name: string, ask: Send][] = [
  ['GET one', (of, teamId, id) => of.call('get', `/teams/${teamId}/players/${id}`)],
  ['PATCH', (of, teamId, id) => of.call('patch', `/teams/${teamId}/players/${id}`).send({ name: 'Renamed' })],
  ['DELETE', (of, teamId, id) => of.call('delete', `/teams/${teamId}/players/${id}`)],
];
const list: Send = (of, teamId) => of.call('get', `/teams/${teamId}/players`);
const post: Send = (of, teamId) => {
  const call = of.call('post', `/teams/${teamId}/players`).set('idem-key', randomUUID());
  return call.send({ name: 'Intruder' });
};

describe.each<[string, Send]>([['GET list', list], ['POST', post], ...onePlayer])('the team of %s', (_name, send) => {
  it("cannot be another organization's", async () => {
    const other = await createOrganization(server);
    const foreign = await other.player((await other.team())._id);
    expectError(await send(organization, String(foreign['teamId']), foreign._id), 40301);
    expect(await readPage(() => list(other, String(foreign['teamId']), ''))).toEqual({ data: [foreign], total: 1 });
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
  ])('returns 40301 if it is not a team of the organization, in any format: %s', async (teamId) => {
    const player = await organization.player(team);
    expectError(await send(organization, teamId, player._id), 40301);
  });

  it('is not checked without an API key', async () => {
    const response = await send(organization, team, 'f'.repeat(24)).set('Authorization', '');
    expectError(response, 40101);
  });
});

describe.each(onePlayer)('the player of %s', (_name, send) => {
  it.each(['jordan', '12', 'a'.repeat(23), 'a'.repeat(25), 'g'.repeat(24), '%20', '%7B%7D'])(
    'returns 40001 if its ID is malformed (%s), even with a forbidden team',
    async (id) => {
      expectFieldError(await send(organization, team, id), 'playerId');
      expectFieldError(await send(organization, 'hawks', id), 'playerId');
    },
  );

  it('returns 40403 if it is unknown', async () => {
    expectError(await send(organization, team, 'f'.repeat(24)), 40403);
  });

  it('returns 40403 under another team of the organization', async () => {
    const player = await organization.player((await organization.team())._id);
    expectError(await send(organization, team, player._id), 40403);
    const path = `/teams/${String(player['teamId'])}/players/${player._id}`;
    expect((await organization.call('get', path).expect(200)).body).toEqual({ data: player });
  });

  it("returns 40403 under an own team if it is another organization's", async () => {
    const other = await createOrganization(server);
    const foreign = await other.player((await other.team())._id);
    expectError(await send(organization, team, foreign._id), 40403);
    const path = `/teams/${String(foreign['teamId'])}/players/${foreign._id}`;
    expect((await other.call('get', path).expect(200)).body).toEqual({ data: foreign });
  });
});
