import { newRecordId } from '../../database/record.js';
import type { Tenant } from '../../access/request-context.js';
import type { CountedGame } from '../schedules/schedules.repository.js';
import type { PlayerStatisticsRepository } from './player-statistics.repository.js';
import type { PlayerSums } from './rules/season-totals.rules.js';
import { SeasonSums } from './season-sums.js';

const tenant = { organization: { id: String(newRecordId()) } } as Tenant;
const game = (writtenAt: string, statisticsRevision = 1): CountedGame => {
  return { _id: newRecordId(), statisticsWrittenAt: new Date(writtenAt), statisticsRevision };
};
const old = game('2027-05-01T20:00:00Z');
const evening = game('2027-05-02T23:30:00Z');
const night = game('2027-05-03T01:00:00Z');

let reads: string[][];
let now: Date;
let sums: SeasonSums;

beforeEach(() => {
  reads = [];
  now = new Date('2027-05-03T02:00:00Z');
  const sumByPlayer = (_scope: unknown, ids: readonly unknown[]) => {
    reads.push(ids.map(String));
    const latest = { updatedAt: now, playerName: 'Kim', teamName: 'Hawks', teamId: newRecordId() };
    const stats = { passAttempts: 10, longestPass: ids.length, safetiesTaken: null };
    return Promise.resolve<PlayerSums[]>([{ playerId: 'kim', games: ids.length, latest, stats, rated: {} }]);
  };
  sums = new SeasonSums({ sumByPlayer } as unknown as PlayerStatisticsRepository, { now: () => now });
});

const ofAll = { category: 'qb', teamId: undefined } as const;
const find = (...games: CountedGame[]) => sums.find(tenant, ofAll, games);
const readGames = () => reads.splice(0).map((ids) => ids.map((id) => names.get(id)));
const names = new Map(Object.entries({ old, evening, night }).map(([name, { _id }]) => [String(_id), name]));

it('reads settled games once, and the games of the last evening each time', async () => {
  const [kim] = await find(old, evening, night);
  expect(kim).toMatchObject({ games: 3, stats: { passAttempts: 20, longestPass: 2, safetiesTaken: null } });
  expect(readGames()).toEqual([['old'], ['evening', 'night']]);
  expect(await find(night, old, evening)).toMatchObject([{ games: 3 }]);
  expect(readGames()).toEqual([['night', 'evening']]);
  now = new Date('2027-05-03T12:00:00Z');
  await find(old, evening, night);
  expect(readGames()).toEqual([['old', 'evening'], ['night']]);
});

it('reads settled games again if one is added, removed or written', async () => {
  const other = game('2027-05-01T20:00:00Z');
  for (const games of [[old], [old, other], [other], [{ ...other, statisticsRevision: 2 }]]) await find(...games);
  expect(reads.map(({ length }) => length)).toEqual([1, 2, 1, 1]);
});

it('shares sums that are being read, but only within an organization, category and team', async () => {
  await Promise.all([find(old), find(old)]);
  expect(reads).toHaveLength(1);
  await sums.find({ ...tenant, organization: { id: String(newRecordId()) } }, ofAll, [old]);
  await sums.find(tenant, { ...ofAll, category: 'punt' }, [old]);
  await sums.find(tenant, { ...ofAll, teamId: 'hawks' }, [old]);
  expect(reads).toHaveLength(4);
});
