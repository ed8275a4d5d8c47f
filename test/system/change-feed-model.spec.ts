import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { teamDeletionEnd } from '../../src/config/time-windows.js';
import { CrashableServers } from '../support/crashable-server.js';
import { readAllPages } from '../support/all-pages.js';
import { mapBounded } from '../support/concurrency.js';
import { FeedMirror } from '../support/feed.js';
import { checkDeliveries, type FeedModel, type ModelKind, modelKinds } from '../support/feed-model.js';
import { commandsOf, countMovers, createField, createMovers, FeedWriter } from '../support/feed-writers.js';
import type { Stored } from '../support/organization.js';
import { foldHistory, historyFieldsOf, historyUntil } from '../support/history.js';
import { eventually } from '../support/processes.js';
import { testDatabaseUri } from '../support/test-database.js';

/** `FEED_MODEL_SEED` repeats the commands of a failure. */
const seed = Number(process.env['FEED_MODEL_SEED'] ?? Date.now() % 2 ** 31);
const writersPerServer = 3;
const singles = 60;
const bulks = 4;
const writesPerKill = 600;
const maxKills = 2;
/** The longest histories of each kind, which are compared with what the writers have seen. */
const histories = 40;

let cluster: CrashableServers;

beforeAll(async () => {
  cluster = await CrashableServers.start(testDatabaseUri('model'));
}, 60_000);

afterAll(() => cluster.stop());

/** Lists all records of the organization. */
async function readSource(teams: readonly Stored[]): Promise<Record<ModelKind, Stored[]>> {
  const list = async (path: string) =>
    (await readAllPages((query) => cluster.over(0).call('get', `${path}${query}`), { limit: '100' })).flatMap(
      ({ data }) => data,
    );
  const rosters = await mapBounded(teams, 2, ({ _id }) => list(`/teams/${_id}/players`));
  return { team: await list('/teams'), player: rosters.flat(), schedule: await list('/schedules') };
}

/** Expects that the changes in the history of a record give each of its revisions. Returns how many those are. */
async function expectHistory(model: FeedModel, kind: ModelKind, record: Stored): Promise<number> {
  const { _id, teamId } = record;
  const path = kind === 'player' ? `/teams/${String(teamId)}/players/${_id}` : `/${kind}s/${_id}`;
  const history = await historyUntil(cluster.over(1), path, Number(record['revision']));
  const { revisions, problems } = foldHistory(history);
  expect([problems, revisions.size]).toEqual([[], record['revision']]);
  expect(revisions.get(revisions.size)).toEqual(historyFieldsOf(kind, record));
  for (const { revision, changedBy } of history)
    model.see(kind, { ...revisions.get(revision), _id, revision, changedBy });
  return revisions.size;
}

it('a mirror of the feed equals the source, and histories have each revision, after 1,500 writes of two partners over two servers that are killed in between', async () => {
  process.stdout.write(`  seed ${seed}\n`);
  const startedAt = performance.now();
  const field = await createField([cluster.over(0), cluster.over(1)], () => killSometimes());
  const { model } = field;
  let [kills, isWriting] = [0, true];
  let crashing: Promise<void> | undefined;
  const killSometimes = () => {
    const isDue = kills < maxKills && model.acknowledgedWrites >= (kills + 1) * writesPerKill;
    if (crashing !== undefined || !isDue) return;
    const victim = cluster.at(kills++);
    crashing = victim.crash().finally(() => (crashing = undefined));
  };
  await createMovers(field, cluster.over(0));
  const mirror = new FeedMirror(cluster.organization);
  let polls = 0;
  const reading = (async () => {
    while (isWriting) {
      // A killed server interrupts the reader, who continues from the last cursor.
      await mirror.follow(cluster.over(polls++)).catch(() => undefined);
      await sleep(50);
    }
  })();

  const writers = Array.from(
    { length: 2 * writersPerServer },
    // Both keys over both servers.
    (_none, index) => new FeedWriter(field, () => cluster.over(index, cluster.partners[index % 3 === 0 ? 0 : 1])),
  );
  const scripts = fc.sample(commandsOf(singles, bulks), { seed, numRuns: writers.length });
  const writing = Promise.all(writers.map((writer, index) => writer.run(scripts[index] ?? [])));
  await writing.finally(() => (isWriting = false));
  await Promise.all([reading, crashing]);

  const marker = await cluster.over(1).player(field.teams[0], { name: 'marker' });
  mirror.switchTo(cluster.over(0));
  await mirror.followUntil('the marker is delivered', () => mirror.get('player', marker._id) !== undefined, 60);
  const stored = await cluster.at(0).server.database();
  // The roster of a team whose deletion was interrupted cannot be read for 10 s.
  const teamsInDeletion = () => {
    const isRecent = { $gt: new Date(Date.now() - teamDeletionEnd) };
    return stored.collection('teams').countDocuments({ deletedAt: null, deletionStartedAt: isRecent });
  };
  await eventually('no deletion of a team is interrupted', async () => (await teamsInDeletion()) === 0, 60);
  const fresh = new FeedMirror(cluster.over(0));
  await fresh.follow();

  const listed = await readSource(
    [...mirror.rows.values()].flatMap(({ kind, record }) => (kind === 'team' && record ? [record] : [])),
  );
  let compared = 0;
  for (const kind of modelKinds) {
    const source = new Map(listed[kind].map((record) => [record._id, record]));
    for (const copy of [mirror, fresh]) {
      const rows = [...copy.rows.values()].filter((row) => row.kind === kind);
      expect(new Map(rows.map(({ id, record }) => [id, record]))).toEqual(source);
    }
    expect(await stored.collection(`${kind}s`).countDocuments({ deletedAt: null })).toBe(source.size);
    const names = listed[kind].flatMap(({ externalId, teamId }) =>
      externalId === undefined ? [] : [JSON.stringify([kind === 'player' && teamId, externalId])],
    );
    expect(new Set(names).size).toBe(names.length);
    const ours = listed[kind].filter(({ _id }) => _id !== marker._id);
    expect(model.problemsOf(kind, ours)).toEqual([]);
    const longest = ours.toSorted((one, other) => Number(other['revision']) - Number(one['revision']));
    for (const record of longest.slice(0, histories)) compared += await expectHistory(model, kind, record);
  }
  expect(compared).toBeGreaterThan(200);
  expect(countMovers(listed.player)).toEqual(Array(20).fill(1));
  const all = modelKinds.flatMap((kind) => listed[kind].map(({ _id }) => _id));
  // The requests that were lost may have deleted others, of which the feed has tombstones.
  const deleted = new Set(fresh.delivered.flatMap((row) => (row.deleted ? [row.id] : [])));
  expect(model.missingAmong(new Set([...all, ...(model.lost > 0 ? deleted : [])]))).toEqual([]);
  for (const row of fresh.delivered) if (row.deleted) model.seeDeletion(row);
  expect(model.unseenRevisions).toBeLessThanOrEqual(model.lost);
  expect([...checkDeliveries(model, mirror.delivered), ...model.violations]).toEqual([]);
  expect(new Set(fresh.delivered.map(({ kind, id }) => `${kind} ${id}`)).size).toBe(fresh.delivered.length);

  const requests = writers.reduce((sum, writer) => sum + writer.requests, 0);
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  process.stdout.write(
    `  ${model.acknowledgedWrites} writes, ${requests} requests, ${kills} kills, ${polls} polls, ${all.length} records, ${deleted.size} tombstones, ${model.unseenRevisions} of ${model.lost} lost revisions, ${seconds} s, seed ${seed}\n`,
  );
  expect(model.acknowledgedWrites).toBeGreaterThanOrEqual(1_500);
  expect(kills).toBe(maxKills);
}, 300_000);
