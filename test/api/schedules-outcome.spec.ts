import { randomUUID } from 'node:crypto';
import { ObjectId } from 'mongodb';
import type { Response } from 'supertest';
import { validateOutcome } from '../../src/modules/schedules/game-outcome.rules.js';
import { expectFieldError } from '../support/expectations.js';
import { type Stored, TestOrganization } from '../support/organization.js';
import {
  bodyOf,
  listScheduleIds,
  listSchedules,
  patchSchedule,
  postSchedule,
  readSchedule,
  secondsFromNow,
} from '../support/schedules.js';
import { RunningServer } from '../support/server.js';

type Body = Record<string, unknown>;

/** The rules between the fields are tested in game-outcome.rules.spec.ts; here that every way to write a schedule keeps them. */
describe('the outcome of a schedule', () => {
  const server = RunningServer.forTests();
  const organization = TestOrganization.forTests(server, beforeEach);
  let team: Stored;

  beforeEach(async () => {
    team = await organization.team();
  });

  const running = { teamOneScore: 14, teamTwoScore: 6 };
  const final = { status: 'final', teamOneScore: 21, teamTwoScore: 20 };
  const create = (fields: Body = {}) => organization.schedule(team._id, fields);
  const change = (id: string, fields: Body) => patchSchedule(organization, id, { teamId: team._id, ...fields });

  it('is scheduled at first, follows the game, and is cleared with null', async () => {
    const { _id: id, ...created } = await create({ timeZone: 'America/Denver' });
    expect(created).toMatchObject({ status: 'scheduled', timeZone: 'America/Denver' });
    expect(created).not.toHaveProperty('teamOneScore');
    await change(id, running).expect(200);
    await change(id, { teamOneScore: 21 }).expect(200);
    await change(id, { status: 'forfeited', forfeitedBy: 'teamTwo' }).expect(200);
    expect(await readSchedule(organization, id)).toMatchObject({
      status: 'forfeited',
      forfeitedBy: 'teamTwo',
      teamOneScore: 21,
    });
    const cleared = { status: 'cancelled', teamOneScore: null, teamTwoScore: null, forfeitedBy: null, timeZone: null };
    const body = bodyOf(await change(id, cleared).expect(200));
    expect(Object.keys(body).filter((name) => /Score|forfeited|timeZone/.test(name))).toEqual([]);
    expect(body).toMatchObject({ status: 'cancelled', revision: 5 });
  });

  it('is checked by each write', async () => {
    const [fields, field] = [{ status: 'final' }, 'teamTwoScore'];
    const required = { teamId: team._id, startDate: secondsFromNow(3600), teamTwoName: 'Foxes' };
    const { _id: id } = await create();
    expectFieldError(await postSchedule(organization, { ...required, ...fields }), field);
    expectFieldError(await change(id, fields), field);
    const path = `/schedules/by-external-id/${randomUUID()}`;
    expectFieldError(await organization.call('patch', path).send({ ...required, ...fields }), field);
    const rows = [
      { ...required, ...fields, externalId: 'wrong' },
      { ...required, ...final, externalId: 'right' },
    ];
    const response = await organization.call('post', '/schedules/bulk').send({ rows }).expect(200);
    const [refused, created] = (response.body as { data: { result: string; error?: { details: object[] } }[] }).data;
    expect(refused?.error?.details).toEqual(expect.arrayContaining([expect.objectContaining({ field })]));
    expect(created?.result).toBe('created');
    expect(await listScheduleIds(organization)).toHaveLength(2);
  });

  it('is checked against the stored fields', async () => {
    const { _id: id } = await create(final);
    expectFieldError(await change(id, { status: 'postponed' }), 'teamOneScore');
    expectFieldError(await change(id, { teamTwoScore: null }), 'teamTwoScore');
    expectFieldError(await change(id, { eventType: 'practice' }), 'status');
    await change(id, { status: 'postponed', teamOneScore: null, teamTwoScore: null }).expect(200);
  });

  it('decides whether a schedule is live or upcoming, and is a filter of its own', async () => {
    const ids: Record<string, string> = {};
    for (const [status, fields] of Object.entries({
      scheduled: running,
      postponed: {},
      cancelled: {},
      final: running,
      forfeited: { forfeitedBy: 'both' },
    })) {
      const live = { startDate: secondsFromNow(-60), endDate: secondsFromNow(3600) };
      ids[`live ${status}`] = (await create({ ...live, status, ...fields }))._id;
      ids[`later ${status}`] = (await create({ startDate: secondsFromNow(3600), status, ...fields }))._id;
    }
    // As a schedule that was stored before there was a status.
    const schedules = (await server.database()).collection('schedules');
    await schedules.updateOne({ _id: new ObjectId(ids['later scheduled']) }, { $unset: { status: 1 } });
    const listed = async (query: string) => {
      const { data, total } = await listSchedules(organization, query);
      expect(total).toBe(data.length);
      return data.map(({ _id }) => Object.keys(ids).find((name) => ids[name] === _id));
    };
    expect(await listed('filter=live')).toEqual(['live scheduled']);
    expect(await listed('filter=upcoming')).toEqual(['later scheduled']);
    expect(await listed('filter=upcoming&status=final')).toEqual([]);
    expect(await listed('status=scheduled')).toEqual(['live scheduled', 'later scheduled']);
    expect(await listed('status=final,postponed')).toEqual([
      'live postponed',
      'live final',
      'later postponed',
      'later final',
    ]);
    expect(await listed(`status=forfeited&startDateFrom=${secondsFromNow(60)}`)).toEqual(['later forfeited']);
    expect(await readSchedule(organization, ids['later scheduled'] ?? '')).toMatchObject({ status: 'scheduled' });
  });

  it('never breaks a rule after changes at once, each of which is valid alone', async () => {
    const { _id: id } = await create();
    const changes: Body[] = [
      { status: 'scheduled', forfeitedBy: null, ...running },
      { status: 'final', forfeitedBy: null },
      { status: 'cancelled', forfeitedBy: null, teamOneScore: null, teamTwoScore: null },
      { status: 'forfeited', forfeitedBy: 'teamOne' },
      { status: 'scheduled', forfeitedBy: null, teamOneScore: null, teamTwoScore: null },
      { eventType: 'practice' },
      { eventType: 'game' },
    ];
    const statuses = new Set<number>();
    for (let round = 0; round < 30; round++) {
      const sent = [0, 1, 2, 3].map((step) => changes[(round + step * (1 + (round % 6))) % 7] ?? {});
      const responses: Response[] = await Promise.all(sent.map(async (fields) => change(id, fields)));
      for (const { status } of responses) statuses.add(status);
      const stored: object = await readSchedule(organization, id);
      expect({ round, problems: validateOutcome(stored) }).toEqual({ round, problems: [] });
    }
    expect([...statuses].sort()).toEqual([200, 400]);
  });
});
