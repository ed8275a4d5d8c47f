import type { RequestContext, Tenant } from '../../../src/access/request-context.js';
import type { PageStart } from '../../../src/database/list-queries.js';
import { newRecordId, type RecordId, toRecordId } from '../../../src/database/record.js';
import { GameUpdater } from '../../../src/modules/schedules/game-updater.js';
import { type UpdateSchedule, ListSchedulesQuery } from '../../../src/modules/schedules/schedule.dto.js';
import type { ScheduleRecord } from '../../../src/modules/schedules/schedule.schema.js';
import { type ScheduleFilter, SchedulesRepository } from '../../../src/modules/schedules/schedules.repository.js';
import { SchedulesService } from '../../../src/modules/schedules/schedules.service.js';
import { TeamsRepository } from '../../../src/modules/teams/teams.repository.js';
import { newRequestContext, TestApplication, newTenant, FixedClock } from '../../support/application.js';
import { captureCommands } from '../../support/explained.js';
import { buildScheduleRecord, buildTeamRecord } from '../../support/records.js';

type Changes = Omit<UpdateSchedule, 'teamId'>;

const at = (time: string) => new Date(`2027-05-01T${time}:00.000Z`);

/** The start and end of the game. */
const start = new Date('2027-05-01T10:00:00.123Z');
const end = new Date('2027-05-01T10:30:00.124Z');
const clock = new FixedClock(start);
const application = TestApplication.forTests(clock);

afterEach(() => jest.restoreAllMocks());

/** Stored schedules are from 10:00 to 10:30. */
describe('updating a schedule', () => {
  let schedules: SchedulesRepository;
  let service: SchedulesService;
  let context: RequestContext;
  let teamId: RecordId;
  let id: RecordId;

  beforeAll(() => {
    schedules = application.get(SchedulesRepository);
    service = application.get(SchedulesService);
  });

  beforeEach(async () => {
    context = newRequestContext();
    const team = buildTeamRecord(context);
    await application.get(TeamsRepository).insertIdempotent(context, team, undefined, {});
    [teamId, id] = [team._id, newRecordId()];
  });

  const store = (fields: Partial<ScheduleRecord> = {}) => {
    const record = buildScheduleRecord(context, { _id: id, teamOneId: teamId, ...fields });
    return schedules.insertIdempotent(context, record, undefined, {});
  };
  const change = (changes: Changes) => service.update(context, String(id), { teamId: String(teamId), ...changes });
  /** Changes the stored schedule between the first read of an update and its write. */
  const changeAfterRead = (fields: Partial<ScheduleRecord>) => {
    const read = schedules.findById.bind(schedules);
    return jest.spyOn(schedules, 'findById').mockImplementationOnce(async (...call) => {
      const found = await read(...call);
      await application.connection
        .collection('schedules')
        .updateOne({ _id: id }, { $set: fields, $inc: { revision: 1 } });
      return found;
    });
  };
  const stored = () => application.connection.collection('schedules').findOne({ _id: id });

  it.each(['$startDate', '$$ROOT', 'a.b'])(
    'stores strings literally, even if the database could read them as expressions: %s',
    async (text) => {
      await store();
      const changed = await change({ eventTitle: text, practiceNote: text, teamTwoName: text });
      expect(changed).toMatchObject({ eventTitle: text, practiceNote: text, teamTwoName: text });
      expect(await stored()).toMatchObject({ eventTitle: text, practiceNote: text, teamTwoName: text });
    },
  );

  it.each<[string, Changes, Partial<ScheduleRecord>, Partial<ScheduleRecord>]>([
    ['the end', { startDate: at('10:20') }, { endDate: at('10:15') }, { startDate: at('10:20'), endDate: at('10:35') }],
    ['the start', { endDate: at('10:10') }, { startDate: at('10:20') }, { endDate: at('10:30') }],
    ['the scrimmage', { eventType: 'game' }, { isScrimmage: false }, { eventType: 'practice' }],
  ])('is validated again if %s changed since it was read', async (_what, changes, meanwhile, after) => {
    await store({ teamTwoId: teamId, eventType: 'practice', isScrimmage: true });
    const reads = changeAfterRead(meanwhile);
    const outcome = await change(changes).catch((error: unknown) => error);
    if (changes.startDate === undefined) expect(outcome).toMatchObject({ entry: { code: 40001 } });
    expect(reads).toHaveBeenCalledTimes(2);
    expect(await stored()).toMatchObject({ ...meanwhile, ...after });
  });

  it.each<[string, Changes, Partial<ScheduleRecord>, Partial<ScheduleRecord>]>([
    ['the end if the duration', { endDate: null }, { duration: 60 }, { endDate: at('11:00') }],
    ['the title if the name', { eventTitle: null }, { teamTwoName: 'Wolves' }, { eventTitle: 'Hawks vs Wolves' }],
  ])('computes %s changed since it was read', async (_what, changes, meanwhile, after) => {
    await store({ eventTitle: 'Final' });
    const reads = changeAfterRead(meanwhile);
    await change(changes);
    expect(reads).toHaveBeenCalledTimes(2);
    expect(await stored()).toMatchObject({ ...meanwhile, ...after });
  });

  it('reads the schedule only if the change depends on it', async () => {
    await store();
    const reads = jest.spyOn(schedules, 'findById');
    await change({ locationName: 'Park', tournamentId: null, eventTitle: 'Final', duration: 60 });
    await change({ startDate: at('11:00'), endDate: at('11:30') });
    expect(reads).not.toHaveBeenCalled();
    await change({ startDate: at('12:00'), endDate: null });
    expect(reads).toHaveBeenCalledTimes(1);
  });

  it('returns 50302 if others changed the schedule five times in a row', async () => {
    await store();
    const before = await schedules.findById(context, String(id));
    await change({ startDate: at('10:10') });
    const reads = jest.spyOn(schedules, 'findById').mockResolvedValue(before);
    await expect(change({ endDate: at('10:50') })).rejects.toMatchObject({
      entry: { code: 50302 },
      retryAfterSeconds: 1,
    });
    expect(reads).toHaveBeenCalledTimes(6);
    expect(await stored()).toMatchObject({ startDate: at('10:10'), endDate: at('10:30') });
  });
});

it('gives games the latest name of a team that is renamed again while the games of others are rewritten', async () => {
  const context = newRequestContext();
  const [teams, schedules] = [application.get(TeamsRepository), application.get(SchedulesRepository)];
  // Leaves all games to the background.
  jest.spyOn(teams, 'onRename').mockResolvedValue();
  const linkedTo = async (name: string) => {
    const team = buildTeamRecord(context, { name });
    await teams.insertIdempotent(context, team, undefined, {});
    const game = buildScheduleRecord(context, { teamTwoId: team._id, teamTwoName: name });
    await schedules.insertIdempotent(context, game, undefined, {});
    return { team: String(team._id), game: String(game._id) };
  };
  const [first, second] = [await linkedTo('Hawks'), await linkedTo('Foxes')];
  await teams.updateById(context, first.team, { name: 'Eagles' });
  clock.advance(1);
  await teams.updateById(context, second.team, { name: 'Wolves' });

  const findNext = schedules.findNext.bind(schedules);
  jest.spyOn(schedules, 'findNext').mockImplementationOnce(async (...given) => {
    await teams.updateById(context, second.team, { name: 'Bears' });
    clock.advance(60_000);
    return findNext(...given);
  });
  await application.get(GameUpdater).work();
  await application.get(GameUpdater).work();
  expect(await schedules.findById(context, first.game)).toMatchObject({ teamTwoName: 'Eagles', revision: 2 });
  expect(await schedules.findById(context, second.game)).toMatchObject({ teamTwoName: 'Bears' });
  expect(await teams.findRenaming()).toEqual([]);
});

const now = new Date('2027-05-01T12:00:00.000Z');
const hour = 3_600_000;
const page = { page: 1, limit: 100 };

describe('a schedule that was inserted manually, without a time bucket', () => {
  it('is listed by filter=live', async () => {
    const tenant = newTenant();
    const record = buildScheduleRecord(tenant, { startDate: now, endDate: new Date(now.getTime() + 3 * hour) });
    delete record.timeBucket;
    await application.connection.collection('schedules').insertOne(record);
    const live = { filter: 'live', asOf: new Date(now.getTime() + 2 * hour) } as const;
    expect(await application.get(SchedulesRepository).findMatching(tenant, live, page)).toMatchObject({ total: 1 });
  });
});

const filters = ['live', 'upcoming'] as const;

/** The filter that lists the game at a given time. */
type Listing = 'upcoming' | 'live' | 'neither';

describe('a schedule that starts and ends', () => {
  let context: RequestContext;

  beforeEach(() => {
    context = newRequestContext();
  });

  async function store(fields: { startDate: Date; endDate: Date }): Promise<void> {
    const repository = application.get(SchedulesRepository);
    await repository.insertIdempotent(context, buildScheduleRecord(context, fields), undefined, {});
  }

  async function listingAt(moment: number): Promise<Listing> {
    clock.advance(moment - clock.now().getTime());
    const listedIn: Listing[] = [];
    for (const filter of filters) {
      const query = Object.assign(new ListSchedulesQuery(), { filter });
      const { data, total } = await application.get(SchedulesService).list(context, query);
      expect(data).toHaveLength(total);
      if (total > 0) listedIn.push(filter);
    }
    expect(listedIn.length).toBeLessThan(2);
    return listedIn[0] ?? 'neither';
  }

  it.each<[moment: string, at: number, expected: Listing]>([
    ['the millisecond before the start', start.getTime() - 1, 'upcoming'],
    ['the millisecond of the start', start.getTime(), 'live'],
    ['the millisecond before the end', end.getTime() - 1, 'live'],
    ['the millisecond of the end', end.getTime(), 'neither'],
  ])('%s: is listed correctly', async (_, at, expected) => {
    await store({ startDate: start, endDate: end });
    expect(await listingAt(at)).toBe(expected);
  });
});

describe('requests at once for the total of a list', () => {
  let tenant: Tenant;
  const totals: number[] = [];
  const begin = new Date('2027-05-01T12:00:00.000Z');
  const after = (minutes: number) => new Date(begin.getTime() + minutes * 60_000);

  beforeEach(async () => {
    totals.length = 0;
    tenant = await storeGames(10);
  });

  /** Stores a game for each minute before and after the begin. */
  async function storeGames(minutes: number): Promise<Tenant> {
    const owner = newTenant();
    const games = Array.from({ length: 2 * minutes + 1 }, (_none, index) => {
      const startDate = after(index - minutes);
      const teamOneId = toRecordId(index % 2 === 0 ? owner.organization.id : '6650f1f77bcf86cd79943911');
      return buildScheduleRecord(owner, { teamOneId, startDate, endDate: new Date(startDate.getTime() + 30 * 60_000) });
    });
    await application.connection.collection('schedules').insertMany(games);
    return owner;
  }

  /** By default of a page so far behind that its total is counted first, so that all counts begin at once. */
  const totalOf = async (filter: ScheduleFilter, of = tenant, start: PageStart = { limit: 1, page: 20_000 }) =>
    (await application.get(SchedulesRepository).findMatching(of, filter, start)).total;

  /** Returns how many counts the database gets while all of these are listed. */
  async function countsFor(...lists: (() => Promise<number>)[]): Promise<number> {
    const list = async () => void totals.push(...(await Promise.all(lists.map((each) => each()))));
    return (await captureCommands(application.connection, list, ['aggregate'])).length;
  }

  it('share one count', async () => {
    const list = () => totalOf({ eventType: 'game' });
    expect(await countsFor(list, list, list)).toBe(1);
    expect(totals).toEqual([21, 21, 21]);
  });

  it('do not share it with other filters or organizations', async () => {
    const other = await storeGames(5);
    const lists = [
      () => totalOf({}),
      () => totalOf({}, other),
      () => totalOf({ teamId: tenant.organization.id }),
      () => totalOf({ startDateFrom: begin }),
      () => totalOf({ filter: 'upcoming', asOf: begin }),
      () => totalOf({ filter: 'live', asOf: after(1) }),
    ];
    expect(await countsFor(...lists)).toBe(6);
    expect(totals).toEqual([21, 11, 11, 11, 10, 12]);
  });

  it('get what is upcoming at the time of the last of them', async () => {
    const lists = [0, 1, 3].map((minutes) => () => totalOf({ filter: 'upcoming', asOf: after(minutes) }));
    expect(await countsFor(...lists)).toBe(1);
    expect(totals).toEqual([7, 7, 7]);
  });

  it('get what was upcoming at the time of their own first page, with a cursor', async () => {
    const start = { limit: 1, after: { at: after(5) } };
    const lists = [0, 1, 3].map(
      (minutes) => () => totalOf({ filter: 'upcoming', asOf: after(minutes) }, tenant, start),
    );
    expect(await countsFor(...lists)).toBe(3);
    expect(totals).toEqual([10, 9, 7]);
  });
});
