import { ObjectId } from 'mongodb';
import { setTimeout as sleep } from 'node:timers/promises';
import { SecretHasher } from '../../../src/access/secret-hasher.js';
import { SchedulesRepository } from '../../../src/modules/schedules/schedules.repository.js';
import { VersionedCache } from '../../../src/records/versioned-cache.js';
import { expectError } from '../../support/expectations.js';
import { InProcessServer } from '../../support/in-process-server.js';
import { createOrganization, type Stored, type TestOrganization } from '../../support/organization.js';
import { eventually } from '../../support/processes.js';

let application: InProcessServer;

beforeAll(async () => {
  application = await InProcessServer.start();
}, 60_000);
afterEach(() => jest.restoreAllMocks());
afterAll(() => application.stop());

it('a request with a key that is revoked during its first verification writes nothing', async () => {
  const organization = await createOrganization(application.server);
  const season = await organization.season();
  const revoke = () => application.server.asSuperAdmin('delete', `/api-keys/${organization.key.id}`).expect(200);
  jest.spyOn(application.get(SecretHasher), 'verifyKey').mockImplementationOnce(async () => {
    await revoke();
    // Longer than 300 ms, after which access is checked again: a first use waits for argon2 when many keys arrive at
    // once.
    await sleep(350);
    return true;
  });
  const create = await organization.call('post', '/teams').send({ name: 'Hawks', season: season._id });
  expectError(create, 40101);
  const teams = application.connection.collection('teams');
  expect(await teams.countDocuments({ organizationId: new ObjectId(organization.id) })).toBe(0);
});

describe('requests at once for what is computed from a season', () => {
  let organization: TestOrganization;
  let season: string;
  let owner: Stored;
  let game: Stored;

  beforeAll(async () => {
    organization = await createOrganization(application.server);
    season = (await organization.season())._id;
    owner = await organization.team({ season });
    const two = await organization.team({ season, name: 'Foxes' });
    game = await organization.schedule(owner._id, { teamTwoId: two._id, teamTwoName: undefined });
  });

  it.each([
    ['standings?tiebreakers=wins', 'findDecided'],
    ['player-statistics?category=qb&limit=1', 'findCounted'],
  ] as const)('read the games of %s twice, if a game changes after the first', async (path, method) => {
    const get = async () => (await organization.call('get', `/seasons/${season}/${path}`).expect(200)).headers['etag'];
    const repository = application.get(SchedulesRepository);
    const asked = jest.spyOn(VersionedCache.prototype, 'get');
    let release: (games: never[]) => void = () => undefined;
    const read = jest.spyOn(repository, method);
    read.mockImplementationOnce(() => new Promise<never[]>((resolve) => (release = resolve)));
    const first = get();
    await eventually('the first reads the games', () => read.mock.calls.length === 1);
    const change = { teamId: owner._id, practiceNote: path };
    await organization.call('patch', `/schedules/${game._id}`).send(change).expect(200);
    const others = Promise.all([get(), get(), get()]);
    await eventually('all have asked', () => asked.mock.calls.length === 4);
    release([]);
    const [etag] = await others;
    expect(await others).toEqual([etag, etag, etag]);
    expect(await first).not.toBe(etag);
    expect(await get()).toBe(etag);
    expect(read).toHaveBeenCalledTimes(2);
  });
});
