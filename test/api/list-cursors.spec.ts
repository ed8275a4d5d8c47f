import { expectFieldError } from '../support/expectations.js';
import { idsOf, queryOf, readAllPages } from '../support/all-pages.js';
import { createOrganization, type Stored, TestOrganization } from '../support/organization.js';
import { readIds, readPage } from '../support/paging.js';
import { deleteSchedule, minutesAfterStart, patchSchedule, secondsFromNow } from '../support/schedules.js';
import { RunningServer } from '../support/server.js';

describe('pagination by cursor', () => {
  const server = RunningServer.forTests();
  const organization = TestOrganization.forTests(server, beforeEach);
  let team: Stored;

  beforeEach(async () => {
    team = await organization.team();
  });

  const reader = (path: string, of = organization) => {
    return (query: string) => of.call('get', `${path}${query}`);
  };

  /** Creates schedules that start this many minutes after the default start; returns their IDs. */
  async function createSchedulesAt(...minutes: number[]): Promise<string[]> {
    const ids: string[] = [];
    for (const minute of minutes) {
      ids.push((await organization.schedule(team._id, { startDate: minutesAfterStart(minute) }))._id);
    }
    return ids;
  }

  /** The cursor of the second page of a list. */
  async function secondPageCursor(
    path: string,
    filters: Record<string, string> = {},
    of = organization,
  ): Promise<string> {
    const { nextCursor } = await readPage(reader(path, of), queryOf({ ...filters, limit: '1' }));
    return nextCursor ?? 'none';
  }

  async function createFour(path: string): Promise<void> {
    for (let created = 0; created < 4; created++) {
      if (path === '/seasons') await organization.season({ startDate: `2027-0${1 + (created >> 1)}-01T00:00:00Z` });
      else if (path === '/teams') await organization.team();
      else if (path === '/schedules') await createSchedulesAt(created >> 1);
      else await organization.player(team._id);
    }
  }

  it.each(['/seasons', '/teams', '/schedules', '/players'])(
    'lists every entry of %s once, in the order of numbered pages, with the exact total',
    async (list) => {
      const path = list === '/players' ? `/teams/${team._id}/players` : list;
      await createFour(list);
      const all = await readIds(reader(path), '?limit=100');
      expect(all.length).toBeGreaterThanOrEqual(4);
      for (const limit of [1, 3, all.length]) {
        const pages = await readAllPages(reader(path), { limit: String(limit) });
        expect(idsOf(pages)).toEqual(all);
        expect(pages.map(({ total }) => total)).toEqual(pages.map(() => all.length));
        expect(pages.map(({ data }) => data.length)).toEqual(
          pages.map((_, at) => Math.min(limit, all.length - at * limit)),
        );
      }
    },
  );

  it('returns no nextCursor on the last page or an empty one', async () => {
    expect(await readPage(reader('/schedules'))).toEqual({ data: [], total: 0 });
    await createSchedulesAt(0, 0, 0);
    expect(await readPage(reader('/schedules'), '?page=2&limit=1')).toHaveProperty('nextCursor');
    for (const query of ['?limit=3', '?page=3&limit=1', '?page=9']) {
      expect(await readPage(reader('/schedules'), query)).not.toHaveProperty('nextCursor');
    }
  });

  it('keeps its filters', async () => {
    const other = await organization.team({ name: 'Foxes', season: team['season'] });
    for (const minute of [0, 1, 5, 9]) {
      const startDate = minutesAfterStart(minute);
      await organization.schedule(team._id, { startDate });
      await organization.schedule(other._id, { startDate, teamTwoId: team._id, eventType: 'practice' });
      await organization.schedule(other._id, { startDate, eventType: 'practice' });
    }
    const until = { startDateFrom: minutesAfterStart(1), startDateTo: minutesAfterStart(9) };
    const filters = { ...until, filter: 'upcoming', teamId: team._id, eventType: 'practice' };
    const all = await readIds(reader('/schedules'), queryOf({ ...filters, limit: '100' }));
    expect(all.length).toBeGreaterThan(1);
    expect(idsOf(await readAllPages(reader('/schedules'), { ...filters, limit: '1' }))).toEqual(all);
  });

  it('keeps the time of the first page for live and upcoming', async () => {
    const until = { endDate: secondsFromNow(600) };
    for (const startDate of [-5, -4, -3, 300, 301].map(secondsFromNow)) {
      await organization.schedule(team._id, { startDate, ...until });
    }
    const live = await secondPageCursor('/schedules', { filter: 'live' });
    const upcoming = await secondPageCursor('/schedules', { filter: 'upcoming' });
    // All that have not started on the first pages start before the next ones.
    await new Promise((resolve) => setTimeout(resolve, 5));
    const startDate = secondsFromNow(0);
    const ids = await readIds(reader('/schedules'), '?filter=upcoming');
    for (const id of ids) await patchSchedule(organization, id, { teamId: team._id, startDate });
    const rest = (filter: string, cursor: string) =>
      readPage(reader('/schedules'), `?filter=${filter}&cursor=${cursor}`);
    expect((await readPage(reader('/schedules'), '?filter=live')).total).toBe(5);
    expect(await rest('live', live)).toMatchObject({ data: { length: 2 }, total: 3 });
    expect((await readPage(reader('/schedules'), '?filter=upcoming')).total).toBe(0);
    expect(await rest('upcoming', upcoming)).toMatchObject({ total: 2 });
  });

  it('neither repeats nor skips unchanged entries while others are written between pages', async () => {
    const ids = await createSchedulesAt(...Array.from({ length: 15 }, (_none, index) => 10 + (index >> 2)));
    const written: string[] = [];
    const pages = await readAllPages(reader('/schedules'), { limit: '2' }, async (page) => {
      await createSchedulesAt(0, 10 + (page >> 1), 30);
      const [removed, moved] = [ids[page], ids[14 - page]];
      if (page > 6 || removed === undefined || moved === undefined) return;
      written.push(removed, moved);
      await deleteSchedule(organization, removed, team._id);
      await patchSchedule(organization, moved, { teamId: team._id, startDate: minutesAfterStart(page % 2 ? 0 : 40) });
    });
    const seen = idsOf(pages);
    const unchanged = ids.filter((id) => !written.includes(id));
    expect(unchanged.length).toBeGreaterThan(0);
    expect(seen.filter((id) => unchanged.includes(id)).sort()).toEqual([...unchanged].sort());
  });

  it('rejects cursor together with page, even page=1', async () => {
    await createFour('/schedules');
    for (const page of [1, 2]) {
      const response = await organization.call(
        'get',
        `/schedules?page=${page}&cursor=${await secondPageCursor('/schedules')}`,
      );
      expect(expectFieldError(response, 'cursor').message).toBe('cursor cannot be combined with page');
    }
  });

  it("rejects another organization's cursor", async () => {
    const other = await createOrganization(server);
    const otherTeam = await other.team();
    for (const startDate of [0, 1].map(minutesAfterStart)) await other.schedule(otherTeam._id, { startDate });
    const cursor = await secondPageCursor('/schedules', {}, other);
    expectFieldError(await organization.call('get', `/schedules?cursor=${cursor}`), 'cursor');
    expect(await readIds(reader('/schedules', other), `?cursor=${cursor}`)).toHaveLength(1);
  });

  it('rejects the cursor of another list, of another parent and of other filters', async () => {
    const second = await organization.team({ season: team['season'] });
    for (const { _id } of [team, team, second]) await organization.player(_id);
    await createFour('/schedules');
    const players = await secondPageCursor(`/teams/${team._id}/players`);
    const games = await secondPageCursor('/schedules', { eventType: 'game' });
    for (const path of [
      `/teams?cursor=${players}`,
      `/teams/${second._id}/players?cursor=${players}`,
      `/schedules?cursor=${games}`,
      `/schedules?eventType=practice&cursor=${games}`,
      `/schedules?eventType=game&teamId=${team._id}&cursor=${games}`,
      '/schedules?cursor=x',
    ])
      expectFieldError(await organization.call('get', path), 'cursor');
    await organization.call('get', `/schedules?eventType=game&cursor=${games}`).expect(200);
  });
});
