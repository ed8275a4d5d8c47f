import { expectFieldError } from '../support/expectations.js';
import { createGame, type StatisticsRow, type TestGame } from '../support/game.js';
import type { Stored } from '../support/organization.js';
import { bodyOf, secondsFromNow } from '../support/schedules.js';
import { RunningServer } from '../support/server.js';

const server = RunningServer.forTests();
let game: TestGame;
let home: Stored;
let away: Stored;
let jordan: Stored;

type Row = Record<string, unknown>;

/** A game that started before the players were created, as after an import. */
beforeEach(async () => {
  game = await createGame(server, { startDate: secondsFromNow(-3_600) });
  ({ home, away, homePlayer: jordan } = game);
  const { organization } = game;
  await organization.call('patch', `/teams/${home._id}`).send({ externalId: 'club-1' }).expect(200);
  await organization.call('patch', playerPath(home, jordan)).send({ externalId: 'member-7' }).expect(200);
});

const playerPath = (team: Stored, player: Stored) => `/teams/${team._id}/players/${player._id}`;
const move = (to: Stored, fields: Row = {}) =>
  game.organization
    .call('patch', playerPath(home, jordan))
    .send({ teamId: to._id, ...fields })
    .expect(200);
const put = (rows: Row[], { query = '', of = game.schedule }: { query?: string; of?: Stored } = {}) =>
  game.organization
    .call('put', `/schedules/${of._id}/player-statistics${query}`)
    .send({ rows: rows.map((row) => ({ category: 'qb', stats: { completions: 1 }, ...row })) });
const rowsOf = async (sent: ReturnType<typeof put>) =>
  ((await sent.expect(200)).body as { data: StatisticsRow[] }).data;

const byId = () => ({ playerId: jordan._id });
const byExternalId = () => ({ playerExternalId: 'member-7' });
const names: [string, () => Row][] = [
  ['ID', byId],
  ['external ID', byExternalId],
];

describe.each(names)('the side of a row that names a player by %s', (_by, name) => {
  it('is the team of the day of the game, with the number worn there, after the player moved', async () => {
    await move(away, { jerseyNumber: '11' });
    const then = { teamId: home._id, teamName: 'Hawks', jerseyNumber: '7', playerId: jordan._id };
    expect(await rowsOf(put([name()]))).toEqual([expect.objectContaining(then)]);
    const next = await game.organization.schedule(home._id, {
      ...{ teamTwoId: away._id, teamTwoName: undefined, startDate: secondsFromNow(60) },
    });
    const now = { teamId: away._id, teamName: 'Falcons', jerseyNumber: '11', playerId: jordan._id };
    expect(await rowsOf(put([name()], { of: next }))).toEqual([expect.objectContaining(now)]);
  });

  it('is that of a game against a guest, also after the player moved or was deleted', async () => {
    const guests = await game.organization.schedule(home._id, { startDate: secondsFromNow(-3_600) });
    await move(away);
    await game.organization.call('delete', playerPath(away, jordan)).expect(200);
    const expected = { teamId: home._id, playerName: 'Jordan Lee' };
    expect(await rowsOf(put([name()], { of: guests }))).toEqual([expect.objectContaining(expected)]);
  });

  it('must be stated if the player was in neither team', async () => {
    const third = await game.organization.team({ name: 'Third' });
    await move(third);
    const later = await game.organization.schedule(home._id, {
      ...{ teamTwoId: away._id, teamTwoName: undefined, startDate: secondsFromNow(60) },
    });
    expectFieldError(await put([name()], { of: later }), 'rows[0].teamId');
    const stated: [Row, string][] = [
      [{ teamId: away._id.toUpperCase() }, ''],
      [{ teamExternalId: 'club-1' }, ''],
      [{}, `?teamId=${home._id}`],
      [{ teamExternalId: 'club-1' }, `?teamId=${home._id}`],
    ];
    for (const [side, query] of stated) {
      const rows = await rowsOf(put([{ ...name(), ...side }], { of: later, query }));
      expect(rows).toMatchObject([{ teamName: 'teamId' in side ? 'Falcons' : 'Hawks', jerseyNumber: '7' }]);
      await put([], { of: later }).expect(200);
    }
  });

  it('is rejected if it is no side of the game, both IDs of a side, or the other side', async () => {
    const wrong: [Row, string, string][] = [
      [{ teamId: 'f'.repeat(24) }, '', 'teamId'],
      [{ teamExternalId: 'club-9' }, '', 'teamExternalId'],
      [{ teamId: home._id, teamExternalId: 'club-1' }, '', 'teamExternalId'],
      [{ teamExternalId: 'club-1' }, `?teamId=${away._id}`, 'teamExternalId'],
    ];
    for (const [side, query, field] of wrong)
      expectFieldError(await put([{ ...name(), ...side }], { query }), `rows[0].${field}`);
  });
});

it('can be stated against the roster if all rows are replaced, but not if one side is', async () => {
  const stated = { ...byId(), teamId: away._id };
  expectFieldError(await put([stated], { query: `?teamId=${away._id}` }), 'rows[0].playerId');
  expect(await rowsOf(put([stated]))).toMatchObject([{ teamName: 'Falcons' }]);
  // The stored row decides from now on.
  expect(await rowsOf(put([byId()]))).toMatchObject([{ teamName: 'Falcons' }]);
});

it('can be stated for one player in rows by ID and by external ID', async () => {
  await move(await game.organization.team({ name: 'Third' }));
  const later = await game.organization.schedule(home._id, {
    ...{ teamTwoId: away._id, teamTwoName: undefined, startDate: secondsFromNow(60) },
  });
  const side = { teamExternalId: 'club-1' };
  const punt = { category: 'punt', stats: { punts: 1 }, ...byExternalId(), ...side };
  expect(await rowsOf(put([{ ...byId(), ...side }, punt], { of: later }))).toMatchObject([
    { playerId: jordan._id, teamName: 'Hawks' },
    { playerId: jordan._id, teamName: 'Hawks' },
  ]);
});

it('an external ID means who had it on the day of the game', async () => {
  const ofToday = await game.organization.schedule(home._id, { startDate: secondsFromNow(1) });
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  await game.organization.call('delete', playerPath(home, jordan)).expect(200);
  await game.organization.player(home._id, { name: 'Jordan again', externalId: 'member-7' });
  expect(await rowsOf(put([byExternalId()], { of: ofToday }))).toMatchObject([{ playerId: jordan._id }]);
});

it('rows and totals have the present external IDs', async () => {
  const own = { playerExternalId: 'member-7', teamExternalId: 'club-1' };
  expect(await rowsOf(put([byId()]))).toMatchObject([own]);
  expect(await game.read()).toMatchObject([own]);
  const totals = `/seasons/${String(home['season'])}/player-statistics?category=qb`;
  expect(bodyOf(await game.organization.call('get', totals).expect(200))['data']).toMatchObject([own]);
  await game.organization.call('patch', playerPath(home, jordan)).send({ externalId: 'member-8' }).expect(200);
  await game.organization.call('patch', `/teams/${home._id}`).send({ externalId: null }).expect(200);
  const [row] = await game.read();
  expect(row).toMatchObject({ playerExternalId: 'member-8' });
  expect(row).not.toHaveProperty('teamExternalId');
});
