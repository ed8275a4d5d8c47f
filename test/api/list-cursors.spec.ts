import { expectFieldError, expectError } from '../support/expectations.js';
import { idsOf, queryOf, readAllPages } from '../support/all-pages.js';
import { createOrganization, type Stored, type TestOrganization } from '../support/organization.js';
import { readIds, readPage } from '../support/paging.js';
import { deleteSchedule, minutesAfterStart, patchSchedule, secondsFromNow } from '../support/schedules.js';
import { RunningServer } from '../support/server.js';

/** `nextCursor` and `cursor`: walking a list by where each page ends, beside `page`. */
describe('a list that is walked by its cursors', () => {
  let server: RunningServer;
  let organization: TestOrganization;
  let team: Stored;

  beforeAll(async () => {
    server = await RunningServer.shared();
  });
  afterAll(() => server.stop());

  beforeEach(async () => {
    organization = await createOrganization(server);
    team = await organization.team();
  });

  const listing = (path: string, of = organization) => {
    return (query: string) => of.call('get', `${path}${query}`);
  };

  /** Schedules that begin so many minutes after the usual start. */
  async function beginning(...minutes: number[]): Promise<string[]> {
    const ids: string[] = [];
    for (const minute of minutes) {
      ids.push((await organization.schedule(team._id, { startDate: minutesAfterStart(minute) }))._id);
    }
    return ids;
  }

  /** The cursor of the second page of a list. */
  async function aCursor(path: string, filters: Record<string, string> = {}, of = organization): Promise<string> {
    const { nextCursor } = await readPage(listing(path, of), queryOf({ ...filters, limit: '1' }));
    return nextCursor ?? 'none';
  }

  async function manyOf(path: string): Promise<void> {
    for (let created = 0; created < 4; created++) {
      if (path === '/seasons') await organization.season({ startDate: `2027-0${1 + (created >> 1)}-01T00:00:00Z` });
      else if (path === '/teams') await organization.team();
      else if (path === '/schedules') await beginning(created >> 1);
      else await organization.player(team._id);
    }
  }

  it.each(['/seasons', '/teams', '/schedules', '/players'])(
    'gives every entry of %s once, in the order of the pages by number, and each page the exact total',
    async (list) => {
      const path = list === '/players' ? `/teams/${team._id}/players` : list;
      await manyOf(list);
      const all = await readIds(listing(path), '?limit=100');
      expect(all.length).toBeGreaterThanOrEqual(4);
      for (const limit of [1, 3, all.length]) {
        const pages = await readAllPages(listing(path), { limit: String(limit) });
        expect(idsOf(pages)).toEqual(all);
        expect(pages.map(({ total }) => total)).toEqual(pages.map(() => all.length));
        expect(pages.map(({ data }) => data.length)).toEqual(
          pages.map((_, at) => Math.min(limit, all.length - at * limit)),
        );
      }
    },
  );

  it('has no nextCursor on its last page, and on none that is empty', async () => {
    expect(await readPage(listing('/schedules'))).toEqual({ data: [], total: 0 });
    await beginning(0, 0);
    for (const query of ['?limit=2', '?page=2&limit=1', '?page=9']) {
      expect(await readPage(listing('/schedules'), query)).not.toHaveProperty('nextCursor');
    }
  });

  it('goes on by cursor from a page that was asked for by its number, with another limit', async () => {
    const ids = await beginning(0, 0, 5, 5, 5, 9);
    const { nextCursor = '' } = await readPage(listing('/schedules'), '?page=2&limit=2');
    const rest = await readIds(listing('/schedules'), `?limit=100&cursor=${nextCursor}`);
    expect([...(await readIds(listing('/schedules'), '?limit=4')), ...rest]).toEqual(
      await readIds(listing('/schedules')),
    );
    expect(rest).toHaveLength(ids.length - 4);
  });

  it.each<[filters: Record<string, string>]>([
    [{ filter: 'upcoming' }],
    [{ teamId: 'the team' }],
    [{ eventType: 'game' }],
    [{ startDateFrom: minutesAfterStart(1), startDateTo: minutesAfterStart(9) }],
    [{ filter: 'upcoming', teamId: 'the team', eventType: 'practice' }],
  ])('keeps to its filters: %j', async (given) => {
    const filters = given['teamId'] === undefined ? given : { ...given, teamId: team._id };
    const other = await organization.team({ name: 'Foxes', season: team['season'] });
    for (const minute of [0, 1, 1, 5, 8, 9]) {
      const startDate = minutesAfterStart(minute);
      await organization.schedule(team._id, { startDate });
      await organization.schedule(other._id, { startDate, teamTwoId: team._id, eventType: 'practice' });
      await organization.schedule(other._id, { startDate });
    }
    const all = await readIds(listing('/schedules'), queryOf({ ...filters, limit: '100' }));
    expect(all.length).toBeGreaterThan(3);
    expect(idsOf(await readAllPages(listing('/schedules'), { ...filters, limit: '2' }))).toEqual(all);
  });

  it('keeps the moment of its first page for live and upcoming', async () => {
    const soon = Date.now() + 1_500;
    const until = { endDate: secondsFromNow(600) };
    for (const startDate of [-5, -4, -3].map(secondsFromNow)) {
      await organization.schedule(team._id, { startDate, ...until });
    }
    for (const startDate of [soon, soon + 1].map((at) => new Date(at).toISOString())) {
      await organization.schedule(team._id, { startDate, ...until });
    }
    const [live, upcoming] = [
      await aCursor('/schedules', { filter: 'live' }),
      await aCursor('/schedules', { filter: 'upcoming' }),
    ];
    await new Promise((resolve) => setTimeout(resolve, soon + 50 - Date.now()));
    const rest = (filter: string, cursor: string) =>
      readPage(listing('/schedules'), `?filter=${filter}&cursor=${cursor}`);
    expect((await rest('live', live)).data).toHaveLength(2);
    expect(await rest('live', live)).toMatchObject({ total: 3 });
    expect((await rest('upcoming', upcoming)).data).toHaveLength(1);
    expect(await rest('upcoming', upcoming)).toMatchObject({ total: 2 });
    expect((await readPage(listing('/schedules'), '?filter=upcoming')).total).toBe(0);
  });

  it('neither repeats nor leaves out what stood there all the time, whatever is written between two pages', async () => {
    const ids = await beginning(...Array.from({ length: 15 }, (_none, index) => 10 + (index >> 2)));
    const gone: string[] = [];
    const pages = await readAllPages(listing('/schedules'), { limit: '2' }, async (page) => {
      await beginning(0, 10 + (page >> 1), 30);
      const [removed, moved] = [ids[page], ids[14 - page]];
      if (page > 6 || removed === undefined || moved === undefined) return;
      gone.push(removed, moved);
      await deleteSchedule(organization, removed, team._id);
      await patchSchedule(organization, moved, { teamId: team._id, startDate: minutesAfterStart(page % 2 ? 0 : 40) });
    });
    const seen = idsOf(pages);
    const stood = ids.filter((id) => !gone.includes(id));
    expect(stood.length).toBeGreaterThan(0);
    expect(seen.filter((id) => stood.includes(id)).sort()).toEqual([...stood].sort());
  });

  it('refuses cursor together with page, also with page=1', async () => {
    await manyOf('/schedules');
    for (const page of [1, 2]) {
      const response = await organization.call('get', `/schedules?page=${page}&cursor=${await aCursor('/schedules')}`);
      expect(expectFieldError(response, 'cursor').message).toBe('cursor cannot be combined with page');
    }
  });

  it("refuses another organization's cursor", async () => {
    const other = await createOrganization(server);
    const theirs = await other.team();
    for (const startDate of [0, 1].map(minutesAfterStart)) await other.schedule(theirs._id, { startDate });
    const cursor = await aCursor('/schedules', {}, other);
    expectFieldError(await organization.call('get', `/schedules?cursor=${cursor}`), 'cursor');
    expect(await readIds(listing('/schedules', other), `?cursor=${cursor}`)).toHaveLength(1);
  });

  it('refuses the cursor of another list, and of the same one with other filters', async () => {
    const second = await organization.team({ season: team['season'] });
    for (const { _id } of [team, team, second, second]) await organization.player(_id);
    await manyOf('/schedules');
    const cursors = {
      teams: await aCursor('/teams'),
      players: await aCursor(`/teams/${team._id}/players`),
      schedules: await aCursor('/schedules'),
      upcoming: await aCursor('/schedules', { filter: 'upcoming' }),
      team: await aCursor('/schedules', { teamId: team._id }),
      from: await aCursor('/schedules', { startDateFrom: minutesAfterStart(0) }),
      to: await aCursor('/schedules', { startDateTo: minutesAfterStart(99) }),
      games: await aCursor('/schedules', { eventType: 'game' }),
    };
    const lists: Record<string, string> = {
      teams: '/teams?',
      players: `/teams/${team._id}/players?`,
      schedules: '/schedules?',
      upcoming: '/schedules?filter=upcoming&',
      team: `/schedules?teamId=${team._id.toUpperCase()}&`,
      from: `/schedules?startDateFrom=${minutesAfterStart(0).replace('.000', '')}&`,
      to: `/schedules?startDateTo=${minutesAfterStart(99)}&`,
      games: '/schedules?eventType=game&',
    };
    for (const [list, path] of Object.entries(lists)) {
      for (const [of, cursor] of Object.entries(cursors)) {
        const response = await organization.call('get', `${path}cursor=${cursor}`);
        if (list === of) expect({ list, status: response.status }).toEqual({ list, status: 200 });
        else
          expect({ list, of, refusal: expectFieldError(response, 'cursor').details?.length }).toEqual({
            list,
            of,
            refusal: 1,
          });
      }
    }
    const ofSecond = await organization.call('get', `/teams/${second._id}/players?cursor=${cursors.players}`);
    expectFieldError(ofSecond, 'cursor');
  });

  it('refuses every text that no page gave', async () => {
    await manyOf('/schedules');
    const cursor = await aCursor('/schedules');
    const changed = Array.from({ length: cursor.length }, (_none, at) => {
      return `${cursor.slice(0, at)}${cursor[at] === 'A' ? 'B' : 'A'}${cursor.slice(at + 1)}`;
    });
    const texts = [
      ...['', ' ', '0', 'null', '{}', '__proto__', 'ä', '\u0000', 'A'.repeat(cursor.length), 'A'.repeat(10_000)],
      ...[
        cursor.slice(1),
        cursor.slice(0, -1),
        `${cursor}A`,
        `${cursor}=`,
        ` ${cursor}`,
        `${cursor}\n`,
        cursor + cursor,
      ],
      ...[cursor.toLowerCase(), cursor.slice(0, 20), Buffer.from('{"at":0}').toString('base64url')],
      ...changed.filter((_text, at) => at % 5 === 0 || at === cursor.length - 1),
    ];
    for (const text of texts) {
      expectFieldError(await organization.call('get', '/schedules').query({ cursor: text }), 'cursor');
    }
    for (const query of [
      `cursor=${cursor}&cursor=${cursor}`,
      `cursor[]=${cursor}`,
      `cursor[$gt]=`,
      `Cursor=${cursor}`,
    ]) {
      expectError(await organization.call('get', `/schedules?${query}`), 40001);
    }
  });

  it('answers HEAD and the same cursor again', async () => {
    await manyOf('/teams');
    const cursor = await aCursor('/teams');
    await organization.call('head', `/teams?cursor=${cursor}`).expect(200);
    const [once, again] = [
      await readIds(listing('/teams'), `?cursor=${cursor}`),
      await readIds(listing('/teams'), `?cursor=${cursor}`),
    ];
    expect(once).toEqual(again);
  });

  it('is refused before the team is looked at, and the team before the list', async () => {
    expectFieldError(await organization.call('get', '/schedules?teamId=nobody&cursor=x'), 'cursor');
    expectFieldError(await organization.call('get', '/teams/nobody/players?cursor=x'), 'cursor');
  });

  it('is not there for admins, who have pages only', async () => {
    const response = await server.asSuperAdmin('get', '/seasons?limit=1');
    expect(Object.keys(response.body as object).sort()).toEqual(['data', 'total']);
    expectFieldError(await server.asSuperAdmin('get', '/seasons?cursor=x'), 'cursor');
  });
});
