import { randomUUID } from 'node:crypto';
import type request from 'supertest';
import type { RunningServer } from './server.js';

type Method = Parameters<RunningServer['call']>[0];
type Body = Record<string, unknown>;
export type Stored = Body & { _id: string };

export const api = '/v1/public-api';

/** One organization with a key: every test makes its own, so that no test sees another's data. */
export class TestOrganization {
  constructor(
    readonly server: RunningServer,
    readonly id: string,
    readonly creator: { _id: string; name: string; email: string; password: string },
    readonly key: { id: string; apiKey: string; keyPrefix: string },
  ) {}

  /** The same organization, over another replica. */
  over(server: RunningServer): TestOrganization {
    return new TestOrganization(server, this.id, this.creator, this.key);
  }

  /** A request with the organization's key, to a path below the public prefix. */
  call(method: Method, path: string, key: string = this.key.apiKey): request.Test {
    return this.server.call(method, `${api}${path}`).set('Authorization', `Bearer ${key}`);
  }

  /** A season of this organization. */
  async season(fields: Body = {}): Promise<Stored> {
    const season = { name: 'Spring 2027', startDate: '2027-03-01T00:00:00Z', endDate: '2027-06-30T00:00:00Z' };
    const call = this.server.asSuperAdmin('post', '/seasons');
    const answer = await call.send({ ...season, organizationId: this.id, ...fields }).expect(201);
    return answer.body as Stored;
  }

  /** A team, in a season of its own where none is given. */
  async team(fields: Body = {}): Promise<Stored> {
    const season = fields['season'] ?? (await this.season())._id;
    const answer = await this.call('post', '/teams')
      .send({ name: 'Hawks', ...fields, season })
      .expect(201);
    return answer.body as Stored;
  }

  /** A player of a team. */
  async player(teamId: string, fields: Body = {}): Promise<Stored> {
    const answer = await this.call('post', `/teams/${teamId}/players`)
      .set('idem-key', randomUUID())
      .send({ name: 'Jordan Lee', ...fields })
      .expect(201);
    return answer.body as Stored;
  }

  /** A schedule of a team. */
  async schedule(teamId: string, fields: Body = {}): Promise<Stored> {
    const answer = await this.call('post', '/schedules')
      .send({ teamId, startDate: '2027-05-01T10:00:00Z', teamTwoName: 'Foxes', ...fields })
      .expect(201);
    return answer.body as Stored;
  }
}

/** Makes an organization with a creator and a key, over the admin routes. */
export async function anOrganization(
  server: RunningServer,
  name = 'Bay Area Flag Football',
): Promise<TestOrganization> {
  const creator = { name: 'Dana Reyes', email: `${randomUUID()}@example.com`, password: 'correct horse battery' };
  const made = await server.asSuperAdmin('post', '/organizations').send({ name, creator }).expect(201);
  const organization = made.body as { _id: string; creator: { _id: string } };
  const key = await aKey(server, organization._id);
  return new TestOrganization(server, organization._id, { ...creator, _id: organization.creator._id }, key);
}

/** Makes one more key of an organization. */
export async function aKey(
  server: RunningServer,
  organizationId: string,
  fields: Body = {},
): Promise<{ id: string; apiKey: string; keyPrefix: string }> {
  const call = server.asSuperAdmin('post', '/api-keys');
  const answer = await call.send({ name: 'Registration platform', organizationId, ...fields }).expect(201);
  return answer.body as { id: string; apiKey: string; keyPrefix: string };
}
