import fc from 'fast-check';
import type { Response } from 'supertest';
import { mapBounded } from '../support/concurrency.js';
import { CrashableServers } from '../support/crashable-server.js';
import { sendUnlessKilled } from '../support/feed-model.js';
import { foldHistory, historyFieldsOf, readHistory } from '../support/history.js';
import type { Stored, TestOrganization } from '../support/organization.js';
import { eventually, eventuallyPasses } from '../support/processes.js';
import { testDatabaseUri } from '../support/test-database.js';

/** `HISTORY_MODEL_SEED` repeats the commands of a failure. */
const seed = Number(process.env['HISTORY_MODEL_SEED'] ?? Date.now() % 2 ** 31);
const writers = 6;
const commandsEach = 120;
const kills = 2;

let cluster: CrashableServers;

beforeAll(async () => {
  cluster = await CrashableServers.start(testDatabaseUri('history'));
}, 60_000);

afterAll(() => cluster.stop());

type Kind = 'team' | 'player' | 'schedule';
interface Known {
  readonly kind: Kind;
  readonly id: string;
  /** The responses by revision, which are all that a client has seen of the record. */
  readonly seen: Map<number, Stored>;
  team: string;
  isErased?: boolean;
}

const name = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 60 }).map((text) => `x${text.trim()}`);
const url = fc.constantFrom(null, 'https://example.com/1.png', 'https://example.com/2.png');
const positions = fc.uniqueArray(fc.constantFrom('QB', 'WR', 'CB', 'a long position name', 'RB'), { maxLength: 5 });
const location = fc.oneof(
  fc.constant(null),
  name,
  fc.record(
    {
      latitude: fc.integer({ max: 90 }),
      place: fc.record({ name, fields: fc.array(name, { maxLength: 4 }) }),
      '1': name,
    },
    { requiredKeys: [] },
  ),
);
const some = <T extends object>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(fields, { requiredKeys: [] });
const fieldsOf = {
  team: some({ name, logoUrl: url, gender: name }),
  player: some({ name, profilePicture: url, position: positions, jerseyNumber: fc.constantFrom(null, '0', '00', '7') }),
  schedule: some({
    teamTwoName: name,
    location,
    practiceNote: fc.oneof(fc.constant(null), name),
    isTestGame: fc.boolean(),
  }),
};
const command = fc.record({
  action: fc.constantFrom(
    ...(['patch', 'patch', 'patch', 'patch', 'bulk', 'move', 'create', 'delete', 'erase'] as const),
  ),
  kind: fc.constantFrom(...(['team', 'player', 'player', 'schedule'] as const)),
  pick: fc.nat(1_000),
  team: fieldsOf.team,
  player: fieldsOf.player,
  schedule: fieldsOf.schedule,
  rows: fc.array(fieldsOf.player, { minLength: 2, maxLength: 4 }),
});
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never;

/** Sends commands, and remembers the records of the responses. */
class Writer {
  static readonly records: Known[] = [];
  static teams: string[] = [];
  static season = '';
  static sent = 0;

  constructor(private readonly partner: () => TestOrganization) {}

  async run(commands: readonly Command[]): Promise<void> {
    for (const each of commands) {
      await this.send(each);
      Writer.sent++;
    }
  }

  private async send({ action, kind, pick, rows, ...fields }: Command): Promise<void> {
    const team = Writer.teams[pick % Writer.teams.length] ?? '';
    const own = Writer.records.filter((record) => record.kind === kind && record.isErased !== true);
    const record = own[pick % own.length];
    if (action === 'create' || record === undefined) return this.create(kind, team);
    const url = pathOf(record);
    if (action === 'patch') {
      const body = { ...fields[kind], ...(kind === 'schedule' && { teamId: record.team }) };
      this.see(record, await this.call('patch', url, body));
      return;
    }
    if (action === 'bulk') {
      const named = rows.map((row, index) => ({ name: 'x', ...row, externalId: `bulk-${(pick + index) % 7}` }));
      await this.call('post', `/teams/${team}/players/bulk`, { rows: named });
      return;
    }
    // One player of four is kept, so that there are long histories.
    if (kind !== 'player' || pick % 4 === 0) return;
    if (action === 'move') this.see(record, await this.call('patch', url, { teamId: team }));
    else if (action === 'delete') await this.call('delete', url);
    else if (pick % 4 === 1) await this.erase(record);
  }

  private async erase(record: Known): Promise<void> {
    record.isErased = true;
    const erase = () => this.partner().server.asSuperAdmin('post', `/players/${record.id}/erase`).send({});
    // A killed server may have erased the player.
    while ((await sendUnlessKilled(erase)) === undefined);
  }

  async create(kind: Kind, team: string): Promise<void> {
    const path = { team: '/teams', player: `/teams/${team}/players`, schedule: '/schedules' }[kind];
    const body = {
      team: { name: 'Hawks', season: Writer.season },
      player: { name: 'Jordan Lee', position: ['QB', 'WR', 'CB', 'a long position name'] },
      schedule: { teamId: team, teamTwoName: 'Foxes', startDate: '2027-05-01T10:00:00Z' },
    }[kind];
    const response = await this.call('post', path, body);
    if (response?.status !== 201) return;
    const { _id: id } = response.body as Stored;
    const known: Known = { kind, id, team, seen: new Map() };
    this.see(known, response);
    Writer.records.push(known);
  }

  private see(record: Known, response: Response | undefined): void {
    if (response === undefined || response.status >= 300) return;
    const body = response.body as Stored & { revision: number; teamId?: string };
    record.seen.set(body.revision, body);
    if (record.kind === 'player') record.team = String(body.teamId);
  }

  private call(method: 'post' | 'patch' | 'delete', path: string, body: object = {}): Promise<Response | undefined> {
    return sendUnlessKilled(() => {
      const call = this.partner().call(method, path);
      if (method === 'post') void call.set('idem-key', `${Math.random()}`);
      return call.send(body);
    });
  }
}

function pathOf({ kind, id, team }: Known): string {
  return kind === 'player' ? `/teams/${team}/players/${id}` : `/${kind}s/${id}`;
}

it('folding the history of every record gives each of its revisions, after random writes over two servers that are killed', async () => {
  process.stdout.write(`  seed ${seed}\n`);
  Writer.season = (await cluster.over(0).season())._id;
  Writer.teams = (await mapBounded([0, 1, 2], 1, (index) => cluster.over(index).team({ season: Writer.season }))).map(
    ({ _id }) => _id,
  );
  const all = Array.from(
    { length: writers },
    (_none, index) => new Writer(() => cluster.over(index, cluster.partners[index % 3 === 0 ? 0 : 1])),
  );
  for (const kind of ['team', 'player', 'player', 'player', 'schedule', 'schedule'] as const)
    await all[0]?.create(kind, Writer.teams[0] ?? '');
  const scripts = fc.sample(fc.array(command, { minLength: commandsEach, maxLength: commandsEach }), {
    ...{ seed, numRuns: writers, size: 'max' },
  });
  const writing = Promise.all(all.map((writer, index) => writer.run(scripts[index] ?? [])));
  for (let killed = 1; killed <= kills; killed++) {
    const share = (killed * writers * commandsEach) / (kills + 1);
    await eventually('a share of the commands is sent', () => Writer.sent >= share, 60);
    await cluster.at(killed).crash();
  }
  await writing;

  const stored = await cluster.database.database();
  let compared = 0;
  const known = new Map(Writer.records.map((record) => [record.id, record]));
  for (const kind of ['team', 'player', 'schedule'] as const)
    for (const { _id, teamId, revision } of await stored.collection(`${kind}s`).find({}).toArray()) {
      const record = {
        kind,
        id: String(_id),
        team: String(teamId),
        seen: known.get(String(_id))?.seen ?? new Map<number, Stored>(),
      };
      known.delete(record.id);
      const present = await cluster.over(0).call('get', pathOf(record));
      const { data } = present.body as { data?: Stored };
      if (data) record.seen.set(Number(data['revision']), data);
      await eventuallyPasses(async () => {
        const history = await readHistory(cluster.over(1), pathOf(record), 7);
        expect(history.at(-1)?.revision).toBe(revision);
        const { revisions: folded, problems } = foldHistory(history);
        expect(problems).toEqual([]);
        for (const [seenAt, response] of record.seen) {
          const expected = historyFieldsOf(kind, response);
          expect({ ...folded.get(seenAt), by: history[seenAt - 1]?.changedBy }).toEqual({
            ...expected,
            by: response['changedBy'],
          });
        }
      }, 30);
      compared += Number(revision);
    }
  const erased = [...known.values()];
  await eventuallyPasses(async () => {
    for (const { id } of erased) {
      const filter = { _id: { $regex: `^player\\.${id}\\.` } };
      expect(await stored.collection<{ _id: string }>('recordHistory').countDocuments(filter)).toBe(0);
    }
  }, 30);
  process.stdout.write(`  ${compared} revisions, ${erased.length} erased players\n`);
  expect(erased.every(({ isErased }) => isErased)).toBe(true);
  expect(erased.length).toBeGreaterThan(0);
  expect(compared).toBeGreaterThan(200);
}, 180_000);
