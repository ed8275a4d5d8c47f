import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type request from 'supertest';
import { startForTests } from './for-tests.js';
import type { RunningServer } from './server.js';

type Method = Parameters<RunningServer['call']>[0];
type Body = Record<string, unknown>;
export type Stored = Body & { _id: string };

export const api = '/v1/public-api';

/** An organization with a key. Tests that would see each other's data create their own. */
export class TestOrganization {
  constructor(
    readonly server: RunningServer,
    readonly id: string,
    readonly creator: { _id: string; name: string; email: string; password: string },
    readonly key: { id: string; apiKey: string; keyPrefix: string },
  ) {}

  /** Creates an organization for the tests of a file or `describe`, or with `beforeEach` one for each. */
  static forTests(server: RunningServer, hook = beforeAll, fields: Body = {}): TestOrganization {
    return startForTests(TestOrganization, () => createOrganization(server, undefined, fields), { hook });
  }

  /** The same organization on another replica. */
  over(server: RunningServer): TestOrganization {
    return new TestOrganization(server, this.id, this.creator, this.key);
  }

  /** What `changedBy` of a record says after a change with the organization's key. */
  asChangedBy() {
    return { type: 'key', name: 'Registration platform', keyPrefix: this.key.keyPrefix };
  }

  /** The same organization with another key. */
  withKey(key: TestOrganization['key']): TestOrganization {
    return new TestOrganization(this.server, this.id, this.creator, key);
  }

  /** A request with the organization's key to a path below the public prefix. */
  call(method: Method, path: string, key: string = this.key.apiKey): request.Test {
    return this.server.call(method, `${api}${path}`).set('Authorization', `Bearer ${key}`);
  }

  /** Creates a season of this organization. */
  async season(fields: Body = {}): Promise<Stored> {
    const season = { name: 'Spring 2027', startDate: '2027-03-01T00:00:00Z', endDate: '2027-06-30T00:00:00Z' };
    const body = { ...season, organizationId: this.id, ...fields };
    return sendUntilCreated(() => this.server.asSuperAdmin('post', '/seasons').send(body));
  }

  /** Creates a team, by default in a new season. */
  async team(fields: Body = {}): Promise<Stored> {
    const season = fields['season'] ?? (await this.season())._id;
    return sendUntilCreated(() => this.call('post', '/teams').send({ name: 'Hawks', ...fields, season }));
  }

  /** Creates a player of a team. */
  async player(teamId: string, fields: Body = {}): Promise<Stored> {
    const key = randomUUID();
    const body = { name: 'Jordan Lee', ...fields };
    return sendUntilCreated(() => this.call('post', `/teams/${teamId}/players`).set('idem-key', key).send(body));
  }

  /** Creates a schedule of a team. */
  async schedule(teamId: string, fields: Body = {}): Promise<Stored> {
    const body = { teamId, startDate: '2027-05-01T10:00:00Z', teamTwoName: 'Foxes', ...fields };
    return sendUntilCreated(() => this.call('post', '/schedules').send(body));
  }
}

/** Creates an organization with a creator and a key over the admin routes. */
export async function createOrganization(
  server: RunningServer,
  name = 'Bay Area Flag Football',
  fields: Body = {},
): Promise<TestOrganization> {
  const creator = { name: 'Dana Reyes', email: `${randomUUID()}@example.com`, password: 'correct horse battery' };
  const organization = await sendUntilCreated<{ _id: string; creator: { _id: string } }>(() =>
    server.asSuperAdmin('post', '/organizations').send({ name, creator, ...fields }),
  );
  const key = await createKey(server, organization._id);
  return new TestOrganization(server, organization._id, { ...creator, _id: organization.creator._id }, key);
}

/** Creates another key of an organization. */
export async function createKey(
  server: RunningServer,
  organizationId: string,
  fields: Body = {},
): Promise<{ id: string; apiKey: string; keyPrefix: string }> {
  const body = { name: 'Registration platform', organizationId, ...fields };
  return sendUntilCreated(() => server.asSuperAdmin('post', '/api-keys').send(body));
}

/**
 * Sends a create request and retries it after 503: on a busy machine a database write may exceed the server's limit.
 */
async function sendUntilCreated<T = Stored>(send: () => request.Test): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const { status, body } = (await send()) as { status: number; body: T };
    if (status === 201) return body;
    if (status !== 503 || attempt === 3) throw new Error(`${status} ${JSON.stringify(body)}`);
    await sleep(1_000);
  }
}
