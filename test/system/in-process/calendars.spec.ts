import ICAL from 'ical.js';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RequestContext } from '../../../src/access/request-context.js';
import { newRecordId, type RecordId, toRecordId } from '../../../src/database/record.js';
import type { ApiRequest } from '../../../src/http/api-request.js';
import { SharedWork } from '../../../src/http/shared-work.js';
import { CalendarsService } from '../../../src/modules/calendars/calendars.service.js';
import type { ScheduleRecord } from '../../../src/modules/schedules/schedule.schema.js';
import { SchedulesRepository } from '../../../src/modules/schedules/schedules.repository.js';
import { TeamsRepository } from '../../../src/modules/teams/teams.repository.js';
import { FixedClock, newRequestContext, TestApplication } from '../../support/application.js';
import { captureCommands, explain } from '../../support/explained.js';
import { buildScheduleRecord, buildTeamRecord } from '../../support/records.js';

const day = 24 * 60 * 60_000;
const clock = new FixedClock(new Date('2027-05-01T10:00:00.000Z'));
const application = TestApplication.forTests(clock);
let calendars: CalendarsService;
let schedules: SchedulesRepository;
let teams: TeamsRepository;

beforeAll(() => {
  calendars = application.get(CalendarsService);
  schedules = application.get(SchedulesRepository);
  teams = application.get(TeamsRepository);
});
afterEach(() => jest.restoreAllMocks());

/** A stored team with a calendar link. */
async function teamOf(context: RequestContext) {
  const { organization, actingUser } = context;
  const [_id, creatorId] = [toRecordId(organization.id), toRecordId(actingUser.id)];
  await application.connection
    .collection('users')
    .updateOne({ _id: creatorId }, { $set: { email: actingUser.id } }, { upsert: true });
  await application.connection
    .collection('organizations')
    .updateOne({ _id }, { $set: { creatorId } }, { upsert: true });
  const team = buildTeamRecord(context);
  await teams.insertIdempotent(context, team, undefined, {});
  const { token } = await calendars.create(context, String(team._id), {});
  return { id: team._id, read: () => calendars.read(token, {} as ApiRequest) };
}

/** Builds a game that starts some days after the beginning of this day in UTC. */
function gameAt(context: RequestContext, teamId: RecordId, days: number, fields: Partial<ScheduleRecord> = {}) {
  const startDate = new Date((Math.floor(clock.now().getTime() / day) + days) * day);
  const endDate = new Date(startDate.getTime() + day / 24);
  return buildScheduleRecord(context, { teamOneId: teamId, startDate, endDate, ...fields });
}

const insert = (records: readonly ScheduleRecord[]) =>
  application.connection.collection('schedules').insertMany([...records]);

/** The IDs of the schedules in a calendar. */
function idsIn({ text }: { text: Buffer }): string[] {
  const calendar = new ICAL.Component(ICAL.parse(text.toString()) as unknown[]);
  const uids = calendar.getAllSubcomponents('vevent').map((event) => String(event.getFirstPropertyValue('uid')));
  return uids.map((uid) => uid.slice(0, 24));
}

describe('a calendar', () => {
  it('is formatted once until it changes, and then has another version', async () => {
    const context = newRequestContext();
    const [own, other] = [await teamOf(context), await teamOf(context)];
    const id = String(own.id);
    const game = gameAt(context, own.id, 1);
    const past = gameAt(context, own.id, -59);
    await insert([game, past]);
    const first = await own.read();
    expect((await own.read()).text).toBe(first.text);
    clock.advance(day / 24);
    await insert([gameAt(context, other.id, 1)]);
    expect((await own.read()).text).toBe(first.text);
    const changes: Record<string, () => Promise<unknown>> = {
      created: () => insert([gameAt(context, other.id, 2, { teamTwoId: own.id })]),
      changed: () => schedules.updateById(context, String(game._id), { locationName: 'Field 3' }),
      deleted: () => schedules.deleteById(context, String(game._id), {}),
      renamed: () => teams.updateById(context, id, { name: 'Wolves' }),
      'on another day': () => {
        clock.advance(2 * day);
        return Promise.resolve();
      },
    };
    const versions = new Set([first.version]);
    for (const change of Object.values(changes)) {
      await change();
      const changed = await own.read();
      versions.add(changed.version);
      expect((await own.read()).text).toBe(changed.text);
    }
    expect(versions.size).toBe(1 + Object.keys(changes).length);
    const last = await own.read();
    expect(last.text.toString()).toContain('X-WR-CALNAME:Wolves');
    expect(idsIn(last)).not.toContain(String(past._id));
  });

  it('shows the 1,000 schedules nearest to now, and reads few more, however many others there are', async () => {
    const context = newRequestContext();
    const { id, read } = await teamOf(context);
    const before = Array.from({ length: 1_100 }, (_, index) => gameAt(context, id, -index / 20));
    const after = Array.from({ length: 1_100 }, (_, index) => gameAt(context, id, 0.01 + index / 20));
    const deletedAt = new Date(clock.now().getTime() - day);
    const deleted = Array.from({ length: 1_100 }, (_, index) => gameAt(context, id, 30 + index / 20, { deletedAt }));
    const other = newRecordId();
    const others = Array.from({ length: 3_000 }, (_, index) => {
      return gameAt(context, other, 30, { deletedAt: new Date(deletedAt.getTime() - index) });
    });
    await insert([...before, ...after, ...deleted, ...others]);
    let ids: string[] = [];
    const commands = await captureCommands(application.connection, async () => {
      ids = idsIn(await read());
    });
    const shown = before.flatMap((one, index) => [one, after[index]]).slice(0, 1_000);
    expect(ids.toSorted()).toEqual(shown.map((one) => String(one?._id)).toSorted());
    for (const command of commands.filter(({ find }) => find === 'schedules')) {
      const { documentsExamined, keysExamined } = await explain(application.connection, command);
      expect(Math.max(documentsExamined, keysExamined)).toBeLessThan(1_010);
    }
  });

  it.each([
    ['418 games in 418 time zones until 2199', Intl.supportedValuesOf('timeZone')],
    ['1,000 games', Array.from({ length: 1_000 }, () => 'America/Denver')],
  ])('lets others run after each event and time zone: %s', async (_what, timeZones) => {
    const context = newRequestContext();
    const { id, read } = await teamOf(context);
    const endDate = new Date('2199-12-31T00:00:00Z');
    await insert(timeZones.map((timeZone, index) => gameAt(context, id, index / 10, { timeZone, endDate })));
    // As if each step took a whole turn.
    let now = performance.now();
    jest.spyOn(performance, 'now').mockImplementation(() => (now += 20));
    let turns = 0;
    let ended = false;
    const count = () => setImmediate(() => (turns++, ended || count()));
    jest.spyOn(schedules, 'findForCalendar').mockImplementationOnce(async (...call) => {
      const games = await schedules.findForCalendar(...call);
      count();
      return games;
    });
    const { text } = await read();
    ended = true;
    expect(turns).toBeGreaterThanOrEqual(timeZones.length);
    expect(text.toString().match(/BEGIN:VEVENT/g)).toHaveLength(timeZones.length);
  });

  it('is read once for those who wait, and without delaying other organizations', async () => {
    const [one, two, three] = [newRequestContext(), newRequestContext(), newRequestContext()];
    const [first, second] = [await teamOf(one), await teamOf(one)];
    const others = [await teamOf(two), await teamOf(three)];
    const find = schedules.findForCalendar.bind(schedules);
    const started: string[] = [];
    const { promise: gate, resolve: open } = Promise.withResolvers<undefined>();
    jest.spyOn(schedules, 'findForCalendar').mockImplementation(async (tenant, teamId, today) => {
      started.push(teamId);
      await gate;
      return find(tenant, teamId, today);
    });
    const asked = jest.spyOn(SharedWork.prototype, 'run');
    const running = first.read();
    await until(() => started.length === 1);
    const late = [first, first, second, ...others].map(({ read }) => read());
    await until(() => asked.mock.calls.length === 6);
    expect(started).toEqual([String(first.id), expect.stringMatching(others.map(({ id }) => String(id)).join('|'))]);
    await teams.updateById(one, String(first.id), { name: 'Owls' });
    const renamed = first.read();
    open(undefined);
    await Promise.all([running, ...late]);
    expect((await renamed).text.toString()).toContain('X-WR-CALNAME:Owls');
    expect(started.filter((id) => id === String(first.id))).toHaveLength(3);
  });
});

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await nextTurn();
}
