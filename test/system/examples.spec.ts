import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { readAllPages } from '../support/all-pages.js';
import { commandOfExample } from '../support/example-programs.js';
import { expiredCursor } from '../support/expired-cursor.js';
import { FeedMirror } from '../support/feed.js';
import { type Fault, FaultyProxy } from '../support/faulty-proxy.js';
import { api, createKey, createOrganization, type Stored, type TestOrganization } from '../support/organization.js';
import { qbRow } from '../support/game.js';
import { eventually } from '../support/processes.js';
import { RunningServer } from '../support/server.js';

jest.setTimeout(120_000);

interface Mirror {
  cursor?: string | null;
  records: Record<string, Stored>;
}
type Row = Record<string, unknown> & { externalId: string };
interface Roster {
  team: string;
  players: Row[];
  newPositions: { player: string; position: string }[];
}
interface Summary {
  created: number;
  updated: number;
  unchanged: number;
  deleted: number;
  failed: object[];
}

const kinds = ['season', 'team', 'player', 'schedule'] as const;

const playersOf = (team: string, count: number): Row[] =>
  Array.from({ length: count }, (_, index) => ({ externalId: `${team}-${index}`, name: `Player ${index}` }));

/** Adds up the lines that a program prints after each bulk request. */
function addSummaries(output: string): Record<string, number> {
  const totals = { created: 0, updated: 0, unchanged: 0, deleted: 0, moved: 0, failed: 0 };
  for (const [, json = ''] of output.matchAll(/\/bulk from row \d+: (.*)$/gm)) {
    const summary = JSON.parse(json) as Summary;
    const counts = { moved: 0, ...summary, failed: summary.failed.length };
    for (const result of Object.keys(totals) as (keyof typeof totals)[]) totals[result] += counts[result];
  }
  return totals;
}

describe.each(['nightly-sync.mts', 'nightly_sync.py'])('examples/%s', (program) => {
  const server = RunningServer.forTests();
  let proxy: FaultyProxy;
  let organization: TestOrganization;
  let folder: string;
  let teams: Row[];
  let owls: Roster;
  let foxes: Roster;
  let rosters: Roster[];
  let schedules: Row[];

  beforeEach(async () => {
    proxy = await FaultyProxy.start(server.url);
    organization = await createOrganization(server);
    folder = await mkdtemp(path.join(tmpdir(), 'examples-test-'));
    const season = (await organization.season())._id;
    teams = ['owls', 'foxes'].map((externalId) => ({ externalId, name: `The ${externalId}`, season }));
    // More than a bulk request takes, and than a page of the feed has.
    owls = { team: 'owls', players: playersOf('owl', 104), newPositions: [] };
    foxes = { team: 'foxes', players: playersOf('fox', 10), newPositions: [] };
    rosters = [owls, foxes];
    schedules = [];
  });
  afterEach(async () => {
    proxy.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const mirrorFile = () => path.join(folder, 'mirror.json');
  const readMirror = async () => JSON.parse(await readFile(mirrorFile(), 'utf8')) as Mirror;
  const requestsTo = (part: string) => proxy.requests.filter((request) => request.includes(part));

  /** Runs the program until it ends; `onStart` gets the process. */
  async function run(onStart: (child: ChildProcess) => void = () => undefined, { apiKey } = organization.key) {
    await writeFile(path.join(folder, 'export.json'), JSON.stringify({ teams, rosters, schedules }));
    const [command, file] = await commandOfExample(program, folder);
    const child = spawn(command, [file], {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: folder, API: proxy.url + api, API_KEY: apiKey },
    });
    onStart(child);
    const ended = new Promise<unknown>((resolve) => child.once('close', (code, signal) => resolve(code ?? signal)));
    const [end, output, errors] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
    return { end, output: output + errors };
  }

  /** Runs the program, which must succeed. */
  async function sync() {
    const { end, output } = await run();
    expect([end, output]).toEqual([0, output]);
    return { totals: addSummaries(output), output };
  }

  /** Lists all records of the organization as the mirror has them. */
  async function listRecords(): Promise<Mirror['records']> {
    const list = async (kind: string, route: string) => {
      const pages = await readAllPages((query) => organization.call('get', route + query), { limit: '100' });
      return pages.flatMap(({ data }) => data.map((record) => [`${kind} ${record._id}`, record] as [string, Stored]));
    };
    const teams = await list('team', '/teams');
    const players = await Promise.all(teams.map(([, { _id }]) => list('player', `/teams/${_id}/players`)));
    const rest = [await list('season', '/seasons'), await list('schedule', '/schedules')];
    return Object.fromEntries([teams, ...players, ...rest].flat());
  }

  /** Runs the program when the feed has all changes, which reach it a moment later, and compares the mirror with the lists. */
  async function syncAndCompare() {
    await new FeedMirror(organization).followUntilEqual(await server.database());
    await sync();
    expect((await readMirror()).records).toEqual(await listRecords());
  }

  async function findPlayer(externalId: string): Promise<Stored> {
    const record = Object.values(await listRecords()).find((one) => one['externalId'] === externalId);
    if (record === undefined) throw new Error(`There is no ${externalId}`);
    return record;
  }

  const rename = (roster: Roster, externalId: string, name: string) => {
    roster.players = roster.players.map((row) => (row.externalId === externalId ? { ...row, name } : row));
  };
  const playerPath = ({ teamId, _id }: Stored) => `/teams/${String(teamId)}/players/${_id}`;

  it('creates all records in rows of 100, reports those that failed, and then sends and reads only what has changed', async () => {
    rename(owls, 'owl-102', '');
    const { totals, output } = await sync();
    expect(totals).toEqual({ created: 115, updated: 0, unchanged: 0, deleted: 0, moved: 0, failed: 1 });
    expect(output).toMatch(/players\/bulk from row 100: .*"index": ?2, ?"externalId": ?"owl-102".*name/);
    // The rows of 114 players in two requests.
    expect(requestsTo('/bulk')).toHaveLength(3);
    await syncAndCompare();
    expect(Object.keys((await readMirror()).records)).toHaveLength(116);

    rename(owls, 'owl-102', 'Sam Ortiz');
    rename(owls, 'owl-7', 'Jordan Lee');
    rename(foxes, 'fox-8', 'Alex Kim');
    await organization.call('delete', playerPath(await findPlayer('owl-3'))).expect(200);
    owls.players = owls.players.filter(({ externalId }) => externalId !== 'owl-3');
    const path = playerPath(await findPlayer('fox-4'));
    await organization.call('patch', path).send({ jerseyNumber: '12' }).expect(200);
    proxy.requests.length = 0;
    const changed = { created: 1, updated: 2, unchanged: 113, deleted: 0, moved: 0, failed: 0 };
    expect((await sync()).totals).toEqual(changed);
    expect(requestsTo('/changes').map((request) => request.includes('&cursor='))).toEqual([true]);
    await syncAndCompare();
  });

  it('deletes only what it has sent and the export no longer has, and prints what others have changed', async () => {
    const game = { startDate: '2027-05-01T10:00:00Z', teamTwoName: 'Bears' };
    schedules = ['owls', 'foxes'].map((team) => ({
      ...game,
      team,
      externalId: `game of ${team}`.replaceAll(' ', '-'),
    }));
    await sync();
    await syncAndCompare();
    const { teamId } = await findPlayer('owl-1');
    const other = organization.withKey(await createKey(server, organization.id, { name: 'League office' }));
    const theirs = await other.player(String(teamId), { externalId: 'theirs' });
    await other
      .call('patch', playerPath(await findPlayer('owl-2')))
      .send({ jerseyNumber: '12' })
      .expect(200);
    await new FeedMirror(organization).followUntilEqual(await server.database());
    const { output: seen } = await sync();
    for (const text of [theirs._id, 'League office']) expect(seen).toContain(text);
    // A team, with its players and game, and a player.
    [teams, rosters, schedules] = [teams.slice(0, 1), [owls], schedules.slice(0, 1)];
    owls.players = owls.players.filter(({ externalId }) => externalId !== 'owl-3');
    rename(owls, 'owl-7', 'Jordan Lee');
    const { totals, output } = await sync();
    expect(totals).toEqual({ created: 0, updated: 1, unchanged: 104, deleted: 13, moved: 0, failed: 0 });
    expect(output).not.toContain('Changed');
    await syncAndCompare();
    expect(await findPlayer('theirs')).toMatchObject({ _id: theirs._id, revision: 1 });
    expect((await sync()).totals).toEqual({ created: 0, updated: 0, unchanged: 105, deleted: 0, moved: 0, failed: 0 });
  });

  it('adds a position once, also if another change comes first, and reports a player who does not exist', async () => {
    await sync();
    const [raced, complete] = [await findPlayer('owl-1'), await findPlayer('owl-2')];
    await organization
      .call('patch', playerPath(complete))
      .send({ position: ['C', 'QB'] })
      .expect(200);
    owls.newPositions = ['unknown', 'owl-1', 'owl-2', 'owl-3'].map((player) => ({ player, position: 'QB' }));
    proxy.requests.length = 0;
    proxy.faultOf = async (request) => {
      if (!/^PATCH .*\/owl-1$/.test(request) || requestsTo('PATCH').length > 1) return undefined;
      await organization
        .call('patch', playerPath(raced))
        .send({ position: ['WR'] })
        .expect(200);
      return undefined;
    };
    const { output } = await sync();
    expect(output).toMatch(/unknown: .*40403/);
    expect(await findPlayer('owl-1')).toMatchObject({ position: ['WR', 'QB'], revision: 3 });
    expect(await findPlayer('owl-2')).toMatchObject({ position: ['C', 'QB'], revision: 2 });
    expect(await findPlayer('owl-3')).toMatchObject({ position: ['QB'], revision: 2 });
    expect(requestsTo('PATCH')).toHaveLength(3);
    await syncAndCompare();
    expect(requestsTo('PATCH')).toHaveLength(3);
  });

  it('moves players who change teams, so that they keep their ID and their season totals', async () => {
    schedules = [{ externalId: 'game', team: 'owls', startDate: '2027-05-01T10:00:00Z', teamTwoName: 'Bears' }];
    await sync();
    await syncAndCompare();
    const ids = ['owl-1', 'owl-2', 'owl-3', 'fox-1', 'fox-2'];
    const find = async () => {
      const records = Object.entries(await listRecords());
      const nameOf = (id: unknown) => records.find(([key]) => key === `team ${String(id)}`)?.[1]['externalId'];
      const players = records.map(([, record]) => record).filter(({ externalId }) => ids.includes(String(externalId)));
      return Object.fromEntries(players.map(({ _id, externalId, teamId }) => [_id, [externalId, nameOf(teamId)]]));
    };
    const before = await find();
    const game =
      Object.keys((await readMirror()).records)
        .find((key) => key.startsWith('schedule '))
        ?.slice(9) ?? '';
    const [player = ''] = Object.entries(before).flatMap(([id, [name]]) => (name === 'owl-1' ? id : []));
    const put = server.asSuperAdmin('put', `/schedules/${game}/player-statistics`);
    await put.send({ rows: [qbRow({ _id: player })] }).expect(200);
    const transfer = (externalId: string, { players }: Roster) => {
      const roster = rosters.find((each) => each.players.some((row) => row.externalId === externalId));
      const at = roster?.players.findIndex((row) => row.externalId === externalId) ?? -1;
      players.push(...(roster?.players.splice(at, 1) ?? []));
    };
    const added = ['bears', 'wolves'].map((team): Roster => ({ team, players: [], newPositions: [] }));
    const [bears, wolves] = added as [Roster, Roster];
    teams.push({ ...teams[0], externalId: 'bears' }, { externalId: 'wolves' });
    rosters.push(bears, wolves);
    transfer('owl-1', foxes);
    transfer('fox-1', owls);
    transfer('owl-2', bears);
    transfer('owl-3', wolves);
    // The request with the moves is repeated, because its response is lost.
    proxy.faultOf = (request) =>
      request.includes('/players/bulk') && requestsTo('/players/bulk').length === 2 ? 'lost response' : undefined;
    proxy.requests.length = 0;
    const { totals, output } = await sync();
    expect([totals, output]).toMatchObject([
      // The team without a name, and its player.
      { created: 1, deleted: 0, moved: 0, failed: 2 },
      expect.not.stringContaining('Changed'),
    ]);
    const moved = { 'owl-1': 'foxes', 'owl-2': 'bears', 'owl-3': 'owls', 'fox-1': 'owls', 'fox-2': 'foxes' };
    const withTeams = (teamOf: Record<string, string>) =>
      Object.fromEntries(Object.entries(before).map(([id, [name]]) => [id, [name, teamOf[String(name)]]]));
    expect(await find()).toEqual(withTeams(moved));
    // The failed team is corrected, and the old team of a transferred player leaves the league.
    teams = teams.filter(({ externalId }) => externalId !== 'foxes').map((row) => ({ ...teams[0], ...row }));
    for (const externalId of ['owl-1', 'fox-2']) transfer(externalId, owls);
    rosters = rosters.filter(({ team }) => team !== 'foxes');
    expect((await sync()).totals).toMatchObject({ created: 1, deleted: 9, moved: 3, failed: 0 });
    expect(await find()).toEqual(withTeams({ ...moved, 'owl-1': 'owls', 'fox-2': 'owls', 'owl-3': 'wolves' }));
    const query = `/seasons/${String(teams[0]?.['season'])}/player-statistics?category=qb`;
    const season = await organization.call('get', query).expect(200);
    expect(season.body).toMatchObject({ data: [{ playerId: player, games: 1 }], total: 1 });
    await syncAndCompare();
  });

  it('repeats requests after 429, 502, 503, 504, 409 40902 and lost connections', async () => {
    owls.newPositions = [{ player: 'owl-1', position: 'QB' }];
    const faults: [string, Fault][] = [
      ['/teams/bulk', { status: 429, error: 42901, retryAfter: 1 }],
      ['/teams/bulk', { status: 502, error: 0 }],
      ['GET', { status: 504, error: 0 }],
      ['/players/bulk', 'lost response'],
      ['PATCH', 'lost response'],
      ['PATCH', { status: 409, error: 40902, retryAfter: 0 }],
      ['/changes', 'lost request'],
      ['/changes', { status: 503, error: 50301, retryAfter: 0 }],
    ];
    proxy.faultOf = (request) => {
      const at = faults.findIndex(([part]) => request.includes(part));
      return at < 0 ? undefined : faults.splice(at, 1)[0]?.[1];
    };
    // The rows of the lost response exist when they are sent again.
    expect((await sync()).totals).toEqual({
      created: 16,
      updated: 0,
      unchanged: 100,
      deleted: 0,
      moved: 0,
      failed: 0,
    });
    // The repeated PATCH is answered with 412, and the player has the new position then.
    expect(await findPlayer('owl-1')).toMatchObject({ position: ['QB'], revision: 2 });
    expect(faults).toEqual([]);
    await syncAndCompare();
  });

  it('waits until the date of a Retry-After, and longer before each attempt without one', async () => {
    const times: number[] = [];
    let date = '';
    proxy.faultOf = () => {
      times.push(Date.now());
      // In 2 to 3 s, because it has no milliseconds.
      if (times.length === 1) date = new Date(Date.now() + 3_000).toUTCString();
      if (times.length > 2) return undefined;
      return { status: 503, error: 50301, ...(times.length === 1 && { retryAfter: date }) };
    };
    [teams, rosters] = [[], []];
    await sync();
    const [, second = 0, third = 0] = times;
    // Timers can be a few milliseconds early.
    expect(second - Date.parse(date)).toBeGreaterThan(-20);
    expect(third - second).toBeGreaterThan(1_980);
  });

  it('builds the mirror anew if its cursor has expired', async () => {
    await sync();
    await syncAndCompare();
    const cursor = expiredCursor(organization.id, kinds);
    const { records } = await readMirror();
    // A record whose deletion is not in the feed any more.
    const erased = { _id: organization.id, revision: 1 };
    await writeFile(mirrorFile(), JSON.stringify({ cursor, records: { ...records, 'player x': erased } }));
    proxy.requests.length = 0;
    await sync();
    expect(requestsTo('/changes').map((request) => request.includes('&cursor='))).toEqual([true, false, true]);
    expect((await readMirror()).records).toEqual(await listRecords());
  });

  it('continues after it was killed between two bulk requests, and between two pages of the feed', async () => {
    const runUntil = async (part: string, nth: number) => {
      proxy.requests.length = 0;
      const { end } = await run((child) => {
        proxy.faultOf = () => {
          if (requestsTo(part).length < nth) return undefined;
          child.kill('SIGKILL');
          return 'lost request';
        };
      });
      expect(end).toBe('SIGKILL');
      proxy.faultOf = () => undefined;
    };
    await runUntil('/players/bulk', 2);
    // Waits until the feed has more than one page.
    await eventually('the feed has the records', async () => {
      const response = await organization.call('get', '/changes');
      return (response.body as { hasMore?: boolean }).hasMore === true;
    });
    await runUntil('/changes', 2);
    const { cursor, records } = await readMirror();
    expect(Object.keys(records)).toHaveLength(100);
    proxy.requests.length = 0;
    expect((await sync()).totals).toEqual({ created: 0, updated: 0, unchanged: 116, deleted: 0, moved: 0, failed: 0 });
    expect(requestsTo('/changes')[0]).toContain(`&cursor=${String(cursor)}`);
    await syncAndCompare();
  });
});
