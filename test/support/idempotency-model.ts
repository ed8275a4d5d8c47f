import type { Response } from 'supertest';
import { sendCreate, createRoutes, type CreateRoute, type TeamFixture } from './idempotent-creates.js';
import type { CrashableServer } from './crashable-server.js';
import { readPage } from './paging.js';
import type { RunningServer } from './server.js';

/** The bodies to send; the last one is invalid on every route. */
export const bodies = ['first', 'other', 'Ünï 🏈', 'wrong'] as const;
export type BodyName = (typeof bodies)[number];

export const resources = ['players', 'teams', 'schedules'] as const;
export type Resource = (typeof resources)[number];

/** The replica that receives a request. */
export type Replica = 'stable' | 'crashable';

/** How long a key is valid, in hours. */
const rememberedHours = 24;

/** A use of a key that may have created a record; it determines the responses to later uses. */
interface Use {
  readonly resource: Resource;
  readonly body: BodyName;
  /** False while it is unknown whether there is a record, because the server was killed. */
  isConfirmed: boolean;
  /** The first response; undefined while it is unknown. */
  text: string | undefined;
  hours: number;
}

/** The state that the contract requires after all steps. */
export class Model {
  /** The uses of keys in the last 24 hours. */
  readonly uses = new Map<string, Use>();
  /** The existing records by resource, with their current names. */
  readonly records: Record<Resource, Map<string, string>> = {
    players: new Map(),
    teams: new Map(),
    schedules: new Map(),
  };

  constructor(place: TeamFixture) {
    this.records.teams.set(place.team, 'Hawks');
  }

  /** Whether the result of a use of the key is still unknown. */
  isUncertain(resource: Resource, key: string): boolean {
    const use = this.uses.get(nameOf(resource, key));
    return use !== undefined && use.text === undefined;
  }

  /** The uses with an unknown result, even if a 422 has shown that there is a record. */
  uncertainUses(): { resource: Resource; key: string; body: BodyName }[] {
    return Array.from(this.uses.entries())
      .filter(([, { text }]) => text === undefined)
      .map(([name, { resource, body }]) => ({ resource, key: name.slice(resource.length + 1), body }));
  }

  /** Records a request without a response. */
  markUncertain(resource: Resource, key: string, body: BodyName): void {
    const name = nameOf(resource, key);
    if (body === 'wrong' || this.uses.has(name)) return;
    this.uses.set(name, { resource, body, isConfirmed: false, text: undefined, hours: 0 });
  }

  /** Makes all keys this many hours older. */
  pass(hours: number): void {
    for (const [name, use] of this.uses) {
      use.hours += hours;
      if (use.hours >= rememberedHours) this.uses.delete(name);
    }
  }
}

/** The two replicas on one database, and the organization of this sequence. */
export interface Real {
  readonly place: TeamFixture;
  readonly stable: RunningServer;
  readonly crashable: CrashableServer;
  /** The steps so far. */
  readonly steps: string[];
}

function nameOf(resource: Resource, key: string): string {
  return `${resource} ${key}`;
}

const nameFields: Record<Resource, string> = { players: 'name', teams: 'name', schedules: 'teamTwoName' };

export function routeOf(resource: Resource): CreateRoute {
  const found = createRoutes.find(([, route]) => route.collection === resource);
  if (found === undefined) throw new Error(`No route makes ${resource}`);
  return found[1];
}

/** The fixture on one of the replicas. */
export function fixtureOn({ place, stable, crashable }: Real, side: Replica): TeamFixture {
  return { ...place, organization: place.organization.over(side === 'stable' ? stable : crashable.server) };
}

/** Sends a create; undefined if its server was killed. */
export async function send(
  real: Real,
  { resource, key, body, side }: { resource: Resource; key: string; body: BodyName; side: Replica },
): Promise<Response | undefined> {
  const changes = { [nameFields[resource]]: body === 'wrong' ? 12 : body };
  return sendCreate(routeOf(resource), fixtureOn(real, side), key, changes).then(
    (response) => response,
    () => undefined,
  );
}

/** Checks a response against the contract, and updates the model. */
export function checkResponse(
  model: Model,
  request: { resource: Resource; key: string; body: BodyName },
  response: Response,
) {
  const { resource, key, body } = request;
  // A busy machine may respond 503, which leaves the result as unknown as a broken connection.
  if (response.status === 503) {
    model.markUncertain(resource, key, body);
    return;
  }
  const name = nameOf(resource, key);
  const use = model.uses.get(name);
  const got = { status: response.status, replayed: response.headers['idempotent-replayed'] === 'true' };
  if (use === undefined) {
    expect(got).toEqual({ status: body === 'wrong' ? 400 : 201, replayed: false });
    if (body !== 'wrong') addRecord(model, name, { resource, body }, response);
  } else if (use.body === body) {
    if (use.isConfirmed) expect(got).toEqual({ status: 201, replayed: true });
    else expect(got.status).toBe(201);
    if (use.text === undefined) addRecord(model, name, use, response);
    else expect(response.text).toBe(use.text);
  } else if (use.isConfirmed || got.status === 422) {
    expect(got).toEqual({ status: 422, replayed: false });
    expect((response.body as { error: number }).error).toBe(42201);
    use.isConfirmed = true;
  } else {
    // The killed request has stored nothing.
    expect(got).toEqual({ status: body === 'wrong' ? 400 : 201, replayed: false });
    if (body !== 'wrong') addRecord(model, name, { resource, body }, response);
  }
}

/** Adds a record that was created or seen for the first time. */
function addRecord(
  model: Model,
  name: string,
  created: Pick<Use, 'resource' | 'body'> & { hours?: number },
  { text }: Response,
) {
  const { resource, body, hours = 0 } = created;
  const record = JSON.parse(text) as Record<string, string>;
  expect(record[nameFields[resource]]).toBe(body);
  const id = record['_id'] ?? '';
  expect(model.records[resource].has(id)).toBe(false);
  model.records[resource].set(id, body);
  model.uses.set(name, { resource, body, isConfirmed: true, text, hours });
}

/** Checks that the lists show exactly the records of the model. */
export async function expectListsToMatch(model: Model, real: Real, side: Replica): Promise<void> {
  const place = fixtureOn(real, side);
  const check = async (resource: Resource) => {
    const { data } = await readPage(() => place.organization.call('get', `${routeOf(resource).path(place)}?limit=100`));
    const listed = data.map((record) => [record._id, record[nameFields[resource]]]);
    const known = Array.from(model.records[resource].entries());
    expect([resource, listed.sort()]).toEqual([resource, known.sort()]);
  };
  await Promise.all(resources.map(check));
}
