import type { Response } from 'supertest';
import { create, createRoutes, type CreateRoute, type Place } from './idempotent-creates.js';
import type { CrashableServer } from './crashable-server.js';
import { readPage } from './paging.js';
import type { RunningServer } from './server.js';

/** The bodies that are sent under the keys; the last one is wrong on every route. */
export const bodies = ['first', 'other', 'Ünï 🏈', 'wrong'] as const;
export type BodyName = (typeof bodies)[number];

export const resources = ['players', 'teams', 'schedules'] as const;
export type Resource = (typeof resources)[number];

/** Which of the two replicas is asked. */
export type Side = 'steady' | 'mortal';

/** How long a key counts, in hours. */
const rememberedHours = 24;

/** A use of a key that may have made a record: what its later uses are to be answered. */
interface Use {
  readonly resource: Resource;
  readonly body: BodyName;
  /** False as long as nobody was told whether there is a record: its server was killed over it. */
  told: boolean;
  /** The first answer; undefined as long as nobody saw it. */
  text: string | undefined;
  hours: number;
}

/** What the contract says that there is, after all that was done. */
export class Model {
  /** The uses of keys in the last 24 hours. */
  readonly uses = new Map<string, Use>();
  /** The records that live, by resource, with the name that each has now. */
  readonly records: Record<Resource, Map<string, string>> = {
    players: new Map(),
    teams: new Map(),
    schedules: new Map(),
  };

  constructor(place: Place) {
    this.records.teams.set(place.team, 'Hawks');
  }

  /** True where nobody has seen yet what a use of the key made, if anything. */
  isOpen(resource: Resource, key: string): boolean {
    const use = this.uses.get(nameOf(resource, key));
    return use !== undefined && use.text === undefined;
  }

  /** The uses of which nobody has seen what they made, also where a refused body (422) told that there is something. */
  open(): { resource: Resource; key: string; body: BodyName }[] {
    return Array.from(this.uses.entries())
      .filter(([, { text }]) => text === undefined)
      .map(([name, { resource, body }]) => ({ resource, key: name.slice(resource.length + 1), body }));
  }

  /** A request was sent, and nobody was told what became of it. */
  leaveOpen(resource: Resource, key: string, body: BodyName): void {
    const name = nameOf(resource, key);
    if (body === 'wrong' || this.uses.has(name)) return;
    this.uses.set(name, { resource, body, told: false, text: undefined, hours: 0 });
  }

  /** So many hours go by for all the keys. */
  pass(hours: number): void {
    for (const [name, use] of this.uses) {
      use.hours += hours;
      if (use.hours >= rememberedHours) this.uses.delete(name);
    }
  }
}

/** The two replicas on one database, and an organization of this one sequence. */
export interface Real {
  readonly place: Place;
  readonly steady: RunningServer;
  readonly mortal: CrashableServer;
  /** What is done, one after the other. */
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

/** The place as one of the replicas serves it. */
export function placeAt({ place, steady, mortal }: Real, side: Side): Place {
  return { ...place, organization: place.organization.over(side === 'steady' ? steady : mortal.server) };
}

/** Sends a create; undefined where its server was killed over it. */
export async function send(
  real: Real,
  { resource, key, body, side }: { resource: Resource; key: string; body: BodyName; side: Side },
): Promise<Response | undefined> {
  const changes = { [nameFields[resource]]: body === 'wrong' ? 12 : body };
  return create(routeOf(resource), placeAt(real, side), key, changes).then(
    (answer) => answer,
    () => undefined,
  );
}

/** Checks an answer against the contract, and takes in what it tells. */
export function judge(model: Model, request: { resource: Resource; key: string; body: BodyName }, answer: Response) {
  const { resource, key, body } = request;
  // A busy machine may answer 503, which tells as little as a broken connection.
  if (answer.status === 503) {
    model.leaveOpen(resource, key, body);
    return;
  }
  const name = nameOf(resource, key);
  const use = model.uses.get(name);
  const got = { status: answer.status, replayed: answer.headers['idempotent-replayed'] === 'true' };
  if (use === undefined) {
    expect(got).toEqual({ status: body === 'wrong' ? 400 : 201, replayed: false });
    if (body !== 'wrong') takeIn(model, name, { resource, body }, answer);
  } else if (use.body === body) {
    if (use.told) expect(got).toEqual({ status: 201, replayed: true });
    else expect(got.status).toBe(201);
    if (use.text === undefined) takeIn(model, name, use, answer);
    else expect(answer.text).toBe(use.text);
  } else if (use.told || got.status === 422) {
    expect(got).toEqual({ status: 422, replayed: false });
    expect((answer.body as { error: number }).error).toBe(42201);
    use.told = true;
  } else {
    // The killed request left nothing so far.
    expect(got).toEqual({ status: body === 'wrong' ? 400 : 201, replayed: false });
    if (body !== 'wrong') takeIn(model, name, { resource, body }, answer);
  }
}

/** A record was made, or was seen for the first time. */
function takeIn(
  model: Model,
  name: string,
  made: Pick<Use, 'resource' | 'body'> & { hours?: number },
  { text }: Response,
) {
  const { resource, body, hours = 0 } = made;
  const record = JSON.parse(text) as Record<string, string>;
  expect(record[nameFields[resource]]).toBe(body);
  const id = record['_id'] ?? '';
  expect(model.records[resource].has(id)).toBe(false);
  model.records[resource].set(id, body);
  model.uses.set(name, { resource, body, told: true, text, hours });
}

/** Checks that the lists show what the model has, no more and no less, and each record as it is now. */
export async function compare(model: Model, real: Real, side: Side): Promise<void> {
  const place = placeAt(real, side);
  const check = async (resource: Resource) => {
    const { data } = await readPage(() => place.organization.call('get', `${routeOf(resource).path(place)}?limit=100`));
    const listed = data.map((record) => [record._id, record[nameFields[resource]]]);
    const known = Array.from(model.records[resource].entries());
    expect([resource, listed.sort()]).toEqual([resource, known.sort()]);
  };
  await Promise.all(resources.map(check));
}
