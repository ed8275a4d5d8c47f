import { setTimeout as sleep } from 'node:timers/promises';
import { type CommandStartedEvent, ObjectId } from 'mongodb';
import { SecretHasher } from '../../../src/access/secret-hasher.js';
import { driverOptions } from '../../../src/database/connection-options.js';
import { formatApiKey } from '../../../src/modules/api-keys/api-key-format.js';
import { KeyUsage } from '../../../src/modules/api-keys/key-usage.js';
import { SchedulesRepository } from '../../../src/modules/schedules/schedules.repository.js';
import { FailedRequests } from '../../../src/modules/usage/failed-requests.service.js';
import { UsageService } from '../../../src/modules/usage/usage.service.js';
import { VersionedCache } from '../../../src/records/versioned-cache.js';
import { expectError } from '../../support/expectations.js';
import { createFullOrganization } from '../../support/full-organization.js';
import { InProcessServer } from '../../support/in-process-server.js';
import { api, createKey, createOrganization, type Stored, type TestOrganization } from '../../support/organization.js';
import { eventually } from '../../support/processes.js';
import { superAdmin } from '../../support/server.js';

jest.setTimeout(120_000);

/** Requests to a server in this process, so that its commands and services can be observed. */
let application: InProcessServer;

beforeAll(async () => {
  application = await InProcessServer.start();
}, 60_000);
afterEach(() => jest.restoreAllMocks());
afterAll(() => application.stop());

/** Of each of four keys: a revoked one, one without the scope, and two that do not exist. */
const each = 400;
const concurrent = 50;
/** A minute can end during the flood. */
const minutes = 2;

describe('a flood of failed requests', () => {
  let organization: TestOrganization;
  let revoked: { id: string; apiKey: string };
  let limited: { id: string; apiKey: string };
  const commands: string[] = [];
  const served: number[] = [];

  const call = async (apiKey: string): Promise<number> => {
    const response = await fetch(`${application.server.url}${api}/teams`, {
      headers: { Authorization: `Bearer ${apiKey}` },
    });
    await response.arrayBuffer();
    return response.status;
  };

  beforeAll(async () => {
    organization = await createOrganization(application.server);
    revoked = await createKey(application.server, organization.id);
    limited = await createKey(application.server, organization.id, { scopes: ['seasons:read'] });
    await Promise.all([revoked, organization.key].map(({ apiKey }) => call(apiKey)));
    await application.server.asSuperAdmin('delete', `/api-keys/${revoked.id}`).expect(200);
    const strangers = ['a', 'b'].map((letter) =>
      formatApiKey({ keyPrefix: `ffk_live_${'0'.repeat(12)}`, secret: letter.repeat(32) }),
    );
    application.connection.getClient().on('commandStarted', ({ commandName, command }: CommandStartedEvent) => {
      const { [commandName]: target } = command as Record<string, unknown>;
      if (target === 'failedRequests' || target === 'requestCounts') commands.push(`${commandName} ${target}`);
    });
    const flooding = [revoked.apiKey, limited.apiKey, ...strangers];
    let sent = 0;
    const flood = async () => {
      while (sent < each * 4) await call(flooding[sent++ % flooding.length] ?? '');
    };
    const floods = Promise.all(Array.from({ length: concurrent }, flood));
    for (let turn = 0; turn < 20; turn++) served.push(await call(organization.key.apiKey));
    await floods;
    await Promise.all([application.get(FailedRequests).flush(), application.get(UsageService).flush()]);
  });

  const list = async (query: object) => {
    const listed = await application.server.asSuperAdmin('get', '/failed-requests').query({ ...query, limit: 100 });
    return (listed.body as { data: { reason?: string; error: number }[] }).data;
  };

  it('costs the keys of others nothing', () => {
    expect(served).toEqual(Array(20).fill(200));
  });

  it('is stored in few batches: at most 60 requests per minute and key, and none of strangers', async () => {
    const stored = await application.connection.collection('failedRequests').countDocuments({});
    expect(stored).toBeGreaterThanOrEqual(2 * 60);
    expect(stored).toBeLessThanOrEqual(2 * 60 * minutes);
    expect(commands).toContain('insert failedRequests');
    // Of 1,600 requests: one batch of a collection per second or ten, with those that are new.
    expect(commands.length).toBeLessThan(30);
    expect((await list({ apiKeyId: revoked.id })).every(({ reason }) => reason === 'revoked')).toBe(true);
    expect((await list({ apiKeyId: limited.id })).map(({ error }) => error)).toContain(40305);
  });

  it('is counted completely, with the reason and the address', async () => {
    const path = `/organizations/${organization.id}/usage/outcomes`;
    const listed = await application.server.asSuperAdmin('get', path).query({ apiKeyId: revoked.id, isError: true });
    const { data } = listed.body as { data: { requests: number; rejection?: string; detail?: string }[] };
    expect(data.reduce((sum, { requests }) => sum + requests, 0)).toBe(each);
    expect(data.map(({ rejection, detail }) => [rejection, detail])).toEqual(
      data.map(() => ['revoked', expect.stringMatching(/^(127\.0\.0\.1|::1)$/) as string]),
    );
  });
});

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

const writing = ['insert', 'update', 'delete', 'findAndModify', 'bulkWrite', 'commitTransaction'];
const reading = ['find', 'aggregate'];

describe('the commands of a server', () => {
  /** The commands as sent: name with collection, and time limit. */
  const sent: { readonly command: string; readonly maxTimeMS: unknown }[] = [];

  const listen = ({ commandName, command }: CommandStartedEvent): void => {
    const { [commandName]: target, maxTimeMS, pipeline } = command as Record<string, unknown>;
    // A change stream waits for changes.
    if (JSON.stringify(pipeline ?? []).includes('$changeStream')) return;
    if ([...reading, ...writing].includes(commandName))
      sent.push({ command: `${commandName} ${String(target)}`, maxTimeMS });
  };

  async function beRefused(): Promise<void> {
    const events = (await application.server.database()).collection('auditEvents');
    await application.server
      .call('post', '/auth/login')
      .send({ ...superAdmin, password: 'a wrong password' })
      .expect(401);
    await eventually('the audit event', async () => (await events.countDocuments({ outcome: 'failure' })) >= 1);
  }

  beforeAll(async () => {
    application.connection.getClient().on('commandStarted', listen);
    const { organization, team, calendarLink } = await createFullOrganization(application.server, 'Limited');
    await organization.call('get', '/schedules?filter=upcoming').expect(200);
    await organization.call('patch', `/teams/${team._id}`).send({ name: 'Renamed' }).expect(200);
    await organization.call('delete', `/teams/${team._id}/calendar-links/${calendarLink._id}`).expect(200);
    await beRefused();
    await application.get(KeyUsage).flush();
  });

  const sentBy = (names: readonly string[]) =>
    sent.filter(({ command }) => names.includes(command.split(' ')[0] ?? ''));

  it('include every kind of read and write', () => {
    const kinds = new Set(sent.map(({ command }) => command.split(' ')[0]));
    const written = ['commitTransaction', 'delete', 'findAndModify', 'insert', 'update'];
    expect([...kinds].sort()).toEqual(['aggregate', ...written, 'find'].sort());
  });

  it.each([
    ['reads', reading, 3_000],
    // The database gives up before the driver does.
    ['writes', writing, driverOptions.socketTimeoutMS - 1],
  ])('have a time limit for the database: %s', (_name, names, most) => {
    const unbounded = sentBy(names).filter(({ maxTimeMS }) => typeof maxTimeMS !== 'number' || maxTimeMS > most);
    expect([...new Set(unbounded.map(({ command }) => command))]).toEqual([]);
  });
});
