import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { Response } from 'supertest';
import { FeedModel, isConclusive, type ModelKind, modelKinds, sendUnlessKilled, tokenField } from './feed-model.js';
import type { Stored, TestOrganization } from './organization.js';

const actions = ['create', 'patch', 'patch', 'rename', 'upsert', 'upsert', 'delete', 'remove'] as const;
type Action = (typeof actions)[number];

/** A request; `pick` chooses among what exists when it runs. */
export interface Command {
  readonly kind: ModelKind;
  readonly action: Action | 'bulk' | 'list';
  readonly pick: number;
  readonly hasExternalId: boolean;
}

const base = { kind: fc.constantFrom(...modelKinds), pick: fc.nat(1_000_000), hasExternalId: fc.boolean() };

/** A single request that takes no longer than others: it reads or writes, but deletes no team. */
export const quickCommand: fc.Arbitrary<Command> = fc
  .record({ ...base, action: fc.constantFrom(...actions, 'list', 'list', 'list', 'list') })
  .filter(({ kind, action }) => kind !== 'team' || action !== 'delete');

/** Commands of one writer: single writes with bulk requests in between. */
export function commandsOf(singles: number, bulks: number): fc.Arbitrary<Command[]> {
  const every = Math.ceil(singles / bulks);
  const single = fc.record({ ...base, action: fc.constantFrom(...actions) });
  const bulk = fc.record({ ...base, action: fc.constant('bulk' as const) });
  const round = fc
    .tuple(fc.array(single, { minLength: every, maxLength: every }), bulk)
    .map(([some, one]) => [...some, one]);
  return fc.array(round, { minLength: bulks, maxLength: bulks }).map((rounds) => rounds.flat());
}

interface Bulk {
  data: { result: string; _id?: string; revision?: number; error?: { error: number } }[];
}

/** A request and its outcome. */
export interface Exchange {
  /** Method and path. */
  readonly name: string;
  /** By `performance.now()`, as the milliseconds until the response, or until it was clear that there is none. */
  readonly sentAt: number;
  readonly milliseconds: number;
  readonly response: Response | undefined;
  /** Sends the request again if it has an `idem-key`. */
  readonly repeat: (() => PromiseLike<Response>) | undefined;
}

/** What the writers share. */
export interface Field {
  readonly model: FeedModel;
  readonly season: string;
  readonly teams: readonly [string, string];
  /** The records that are known to exist, by kind. */
  readonly ids: Record<ModelKind, { path: string; id: string; teamId: string }[]>;
  readonly onExchange: (exchange: Exchange) => void;
}

/** External IDs per kind and team, so that the writers meet. */
const externalIds = 300;
const rowsOfBulk = 100;

/** Creates a season with two teams, in which the writers of these two clients of an organization meet. */
export async function createField(
  clients: readonly [TestOrganization, TestOrganization],
  onExchange: Field['onExchange'],
): Promise<Field> {
  const model = new FeedModel();
  const season = (await clients[0].season())._id;
  const createTeam = async (client: TestOrganization) => {
    const write = model.start(client.key.keyPrefix);
    const { _id } = await client.team({ season, name: write.token });
    model.acknowledge(write, _id);
    return _id;
  };
  const teams = [await createTeam(clients[0]), await createTeam(clients[1])] as const;
  return { model, season, teams, ids: { team: [], player: [], schedule: [] }, onExchange };
}

const movers = Array.from({ length: 20 }, (_none, index) => `mover:${index}`);

/** Creates the players whom the writers move to and fro and never delete. */
export async function createMovers({ model, teams: [teamId] }: Field, organization: TestOrganization): Promise<void> {
  for (const externalId of movers) {
    const write = model.start(organization.key.keyPrefix);
    model.acknowledge(write, (await organization.player(teamId, { name: write.token, externalId }))._id);
  }
}

/** Returns how often each of them exists. */
export function countMovers(players: readonly Stored[]): number[] {
  return movers.map((mover) => players.filter(({ externalId }) => externalId === mover).length);
}

/** A client that writes over one replica at a time. */
export class FeedWriter {
  requests = 0;

  constructor(
    private readonly field: Field,
    private readonly replica: () => TestOrganization,
  ) {}

  async run(commands: Iterable<Command> | AsyncIterable<Command>): Promise<void> {
    for await (const command of commands) await this.execute(command);
  }

  private async execute(command: Command): Promise<void> {
    if (command.action === 'list') await this.list(command);
    else if (command.action === 'bulk') await this.bulk(command);
    else if (command.action === 'create') await this.create(command);
    else if (command.action === 'upsert') await this.upsert(command);
    else if (command.action === 'delete') await this.delete(command);
    else if (command.action === 'remove') await this.remove(command);
    else await this.patch(command);
  }

  /** Returns the response; undefined if it is unknown whether the request was applied. */
  private async send(method: 'get' | 'post' | 'patch' | 'delete', path: string, body?: object, key?: string) {
    this.requests++;
    const send = () => {
      const request = this.replica().call(method, path);
      if (key !== undefined) void request.set('idem-key', key);
      return body === undefined ? request : request.send(body);
    };
    const sentAt = performance.now();
    const response = await sendUnlessKilled(send);
    const repeat = key === undefined ? undefined : send;
    this.field.onExchange({
      ...{ name: `${method} ${path}`, sentAt, milliseconds: performance.now() - sentAt, response, repeat },
    });
    if (isConclusive(response)) return response;
    if (method !== 'get') this.field.model.lost += 1;
    return undefined;
  }

  private get keyPrefix(): string {
    return this.replica().key.keyPrefix;
  }

  private async list({ kind, pick }: Command): Promise<void> {
    const response = await this.send('get', `${this.placeOf(kind, pick).path}?limit=20`);
    if (response !== undefined && response.status !== 200) this.fail(response);
  }

  /** Creates a record, and repeats the request with its key until there is a response. */
  private async create({ kind, pick, hasExternalId }: Command): Promise<void> {
    const { path, teamId } = this.placeOf(kind, pick);
    const write = this.field.model.start(this.keyPrefix);
    const externalId = hasExternalId && { externalId: this.externalIdOf(pick) };
    const body = { ...this.bodyOf(kind, teamId, write.token, pick), ...externalId };
    const key = randomUUID();
    let response = await this.send('post', path, body, key);
    for (let repeats = 0; response === undefined && repeats < 5; repeats++) {
      response = await this.send('post', path, body, key);
    }
    this.settle(kind, write, { path, teamId }, response, [201, 409]);
  }

  private async upsert({ kind, pick }: Command): Promise<void> {
    const { path, teamId } = this.placeOf(kind, pick);
    const write = this.field.model.start(this.keyPrefix);
    const body = this.bodyOf(kind, teamId, write.token, pick);
    const response = await this.send('patch', `${path}/by-external-id/${this.externalIdOf(pick)}`, body);
    this.settle(kind, write, { path, teamId }, response, [200, 201, 403]);
  }

  /** Changes a record; `rename` also sets or clears its external ID. */
  private async patch({ kind, pick, hasExternalId, action }: Command): Promise<void> {
    const target = this.targetOf(kind, pick);
    if (target === undefined) return;
    const write = this.field.model.start(this.keyPrefix);
    const owner = kind === 'schedule' && { teamId: target.teamId };
    const externalId = action === 'rename' && { externalId: hasExternalId ? this.externalIdOf(pick) : null };
    const body = { ...owner, [tokenField[kind]]: write.token, ...externalId };
    const response = await this.send('patch', `${target.path}/${target.id}`, body);
    this.settle(kind, write, target, response, [200, 403, 404, 409]);
  }

  private async delete({ kind, pick }: Command): Promise<void> {
    const target = this.targetOf(kind, pick);
    // The deletion of a team takes a second.
    if (target === undefined || (kind === 'team' && pick % 3 > 0)) return;
    const query = kind === 'schedule' ? `?teamId=${target.teamId}` : '';
    this.settleDeletion(target.id, await this.send('delete', `${target.path}/${target.id}${query}`));
  }

  /** Creates a record with an external ID of its own, and deletes it by that. */
  private async remove({ kind, pick }: Command): Promise<void> {
    if (kind === 'team') return;
    const { path, teamId } = this.placeOf(kind, pick);
    const write = this.field.model.start(this.keyPrefix);
    const url = `${path}/by-external-id/own:${write.token}`;
    const response = await this.send('patch', url, this.bodyOf(kind, teamId, write.token, pick));
    this.settle(kind, write, { path, teamId }, response, [201]);
    if (response === undefined) return;
    this.settleDeletion((response.body as Stored)._id, await this.send('delete', url));
  }

  private settleDeletion(id: string, response: Response | undefined): void {
    if (response !== undefined && ![200, 403, 404].includes(response.status)) this.fail(response);
    if (response === undefined || response.status === 200)
      this.field.model.delete(id, this.keyPrefix, response !== undefined);
  }

  /**
   * Sends a bulk request, and repeats it until there is a response: a row that is applied stays as it is. The first rows are
   * deletions, of which the last row creates one record again. Half of those with players are over both teams, and move.
   */
  private async bulk({ kind, pick, hasExternalId }: Command): Promise<void> {
    const { model, teams } = this.field;
    const count = rowsOfBulk;
    const isOfAll = kind === 'player' && hasExternalId;
    const { path, teamId } = isOfAll ? { path: '/players', teamId: '' } : this.placeOf(kind, pick);
    const deletions = kind === 'team' ? 3 : 20;
    const writes = Array.from({ length: count }, () => model.start(this.keyPrefix));
    const rows = writes.map(({ token }, index) => {
      const at = pick + (index === count - 1 ? 0 : index);
      const isMover = isOfAll && index >= deletions && index < deletions + movers.length / 2;
      const externalId = isMover ? movers[at % movers.length] : this.externalIdOf(at);
      const roster = isOfAll && { teamId: teams[(at >> 1) % 2] };
      if (index < deletions) return { externalId, ...roster, delete: true };
      const move = isOfAll && index < count - 1 && { move: true };
      return { ...this.bodyOf(kind, teamId, token, pick + index), externalId, ...roster, ...move };
    });
    let response = await this.send('post', `${path}/bulk`, { rows });
    for (let repeats = 0; response === undefined && repeats < 5; repeats++) {
      model.lost += count;
      response = await this.send('post', `${path}/bulk`, { rows });
    }
    if (response === undefined) return;
    if (response.status !== 200) this.fail(response);
    // Two requests that create a player with `move` at the same time, in two teams, create two.
    const rejections = isOfAll ? [40304, 40905, 50302] : [40304, 50302];
    for (const [index, { result, _id, revision = 0, error }] of (response.body as Bulk).data.entries()) {
      const write = writes[index];
      if (write === undefined) continue;
      if (index < deletions) {
        model.reject(write);
        if (_id !== undefined) model.delete(_id, write.keyPrefix, true);
        if (_id !== undefined) model.seeRevision(_id, revision);
        if (result !== (_id === undefined ? 'unchanged' : 'deleted') && error?.error !== 50302) this.fail(response);
      } else if (_id !== undefined) {
        model.acknowledge(write, _id);
        model.seeRevision(_id, revision, write.token);
        const team = isOfAll ? (teams[((pick + index) >> 1) % 2] ?? '') : teamId;
        // Single requests delete and rename what is remembered, but never a mover.
        if (!movers.includes(String(rows[index]?.externalId)))
          this.remember(kind, { path: isOfAll ? `/teams/${team}/players` : path, teamId: team, id: _id });
      } else if (error !== undefined && rejections.includes(error.error)) model.reject(write);
      else this.fail(response);
    }
  }

  private settle(
    kind: ModelKind,
    write: ReturnType<FeedModel['start']>,
    place: { path: string; teamId: string },
    response: Response | undefined,
    expected: readonly number[],
  ): void {
    if (response === undefined) return;
    if (!expected.includes(response.status)) this.fail(response);
    if (response.status >= 400) {
      this.field.model.reject(write);
      return;
    }
    const record = response.body as Stored;
    if (response.headers['etag'] !== `"${String(record['revision'])}"`) this.fail(response);
    this.field.model.acknowledge(write, record._id);
    this.field.model.see(kind, record);
    this.remember(kind, { ...place, id: record._id });
  }

  private fail(response: { status: number; text: string }): never {
    throw new Error(`Unexpected response: ${response.status} ${response.text}`);
  }

  private remember(kind: ModelKind, record: { path: string; teamId: string; id: string }): void {
    this.field.ids[kind].push(record);
  }

  private targetOf(kind: ModelKind, pick: number) {
    const known = this.field.ids[kind];
    // Mostly the latest, so that the writers meet.
    return known[known.length - 1 - (pick % Math.min(known.length, 200))];
  }

  private placeOf(kind: ModelKind, pick: number): { path: string; teamId: string } {
    const teamId = this.field.teams[pick % 2 === 0 ? 0 : 1];
    const paths = { team: '/teams', player: `/teams/${teamId}/players`, schedule: '/schedules' };
    return { path: paths[kind], teamId };
  }

  private externalIdOf(pick: number): string {
    return `erp:${pick % externalIds}`;
  }

  private bodyOf(kind: ModelKind, teamId: string, token: string, pick: number): object {
    const bodies = {
      team: { season: this.field.season, logoUrl: `https://example.com/${pick % 3}.png` },
      player: { jerseyNumber: String(pick % 100), position: ['QB', 'WR', 'a long position name'].slice(pick % 4) },
      schedule: { teamId, startDate: '2027-05-01T10:00:00Z', location: this.locationOf(pick) },
    };
    return { [tokenField[kind]]: token, ...bodies[kind] };
  }

  /** Parts that differ, so that the database reports changes of parts, too. */
  private locationOf(pick: number): unknown {
    if (pick % 11 === 0) return 'Riverside Park';
    const place = { name: 'Riverside Park, the large one', fields: Array.from({ length: pick % 3 }, String) };
    return { pitch: pick % 7, place, ...(pick % 2 === 0 && { '1': 'entrance' }) };
  }
}
