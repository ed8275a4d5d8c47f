import { createHash } from 'node:crypto';
import { MongoClient, ObjectId } from 'mongodb';
import { compareRows, derivedOf } from './derived.js';

/**
 * Data access of the hand-written servers. Documents are sent as read, with a projection of the public
 * fields. It uses the collections and indexes of this project's server, and its own collection of keys by digest.
 */
const inner = { createdBy: 0, deletedAt: 0, idempotency: 0, timeBucket: 0, statisticsWrittenAt: 0 };
const rowInner = { _id: 0, organizationId: 0, createdBy: 0, createdAt: 0 };
const byStart = { startDate: 1, _id: 1 };
const byCreation = { createdAt: 1, _id: 1 };

const withTeamId = (schedule) => ({ ...schedule, teamId: schedule.teamOneId });

/** @param {string} uri of the database */
export async function openStore(uri) {
  const client = await new MongoClient(uri).connect();
  const db = client.db();
  const [keys, teams, players, schedules, statistics] = [
    ...['benchKeys', 'teams', 'players', 'schedules', 'playerStatistics'],
  ].map((name) => db.collection(name));

  const page = async (collection, filter, sort, { page: number, limit }) => {
    const [data, total] = await Promise.all([
      collection
        .find(filter, { projection: inner })
        .sort(sort)
        .skip((number - 1) * limit)
        .limit(limit)
        .toArray(),
      collection.countDocuments(filter),
    ]);
    return { data, total };
  };

  return {
    /** Returns `{organizationId, createdBy}` of a key by its SHA-256, or null. */
    findKey(key) {
      const digest = createHash('sha256').update(key).digest('hex');
      return keys.findOne({ digest }, { projection: { _id: 0, organizationId: 1, createdBy: 1 } });
    },

    listTeams: ({ organizationId }, paging) => page(teams, { organizationId, deletedAt: null }, byCreation, paging),

    async listSchedules({ organizationId }, filter, paging) {
      const now = new Date();
      const { data, total } = await page(
        schedules,
        {
          organizationId,
          deletedAt: null,
          ...(filter && { status: 'scheduled' }),
          ...(filter === 'upcoming' && { startDate: { $gt: now } }),
          ...(filter === 'live' && { startDate: { $lte: now }, endDate: { $gt: now } }),
        },
        byStart,
        paging,
      );
      return { data: data.map(withTeamId), total };
    },

    /** Returns a schedule of the organization, or null. */
    async findSchedule({ organizationId }, id) {
      const schedule = await schedules.findOne(
        { _id: new ObjectId(id), organizationId, deletedAt: null },
        { projection: inner },
      );
      return schedule && withTeamId(schedule);
    },

    /** Returns true if a schedule exists in any organization. */
    scheduleExists: async (id) => (await schedules.countDocuments({ _id: new ObjectId(id), deletedAt: null })) > 0,

    /** Returns the statistics of a schedule of the organization, or null; reads both at once. */
    async findStatistics({ organizationId }, id) {
      const scheduleId = new ObjectId(id);
      const [schedule, rows] = await Promise.all([
        schedules.findOne({ _id: scheduleId, organizationId, deletedAt: null }, { projection: { _id: 1 } }),
        statistics.find({ organizationId, scheduleId }, { projection: rowInner }).toArray(),
      ]);
      if (!schedule) return null;
      for (const row of rows) row.derived = derivedOf(row.category, row.stats);
      return { data: rows.sort(compareRows), total: rows.length };
    },

    /** Returns the names of teams of the organization by ID. */
    async teamNames({ organizationId }, ids) {
      const wanted = ids.filter((id) => ObjectId.isValid(id)).map((id) => new ObjectId(id));
      const filter = { _id: wanted.length === 1 ? wanted[0] : { $in: wanted }, organizationId, deletedAt: null };
      const found = await teams.find(filter, { projection: { name: 1 } }).toArray();
      return new Map(found.map(({ _id, name }) => [String(_id), name]));
    },

    async insertSchedule({ organizationId, createdBy }, { teamId, teamTwoId, ...fields }) {
      const now = new Date();
      const shown = {
        _id: new ObjectId(),
        organizationId,
        teamOneId: new ObjectId(teamId),
        ...(teamTwoId && { teamTwoId: new ObjectId(teamTwoId) }),
        ...fields,
        createdAt: now,
        updatedAt: now,
        revision: 1,
      };
      await schedules.insertOne({ ...shown, createdBy, deletedAt: null });
      return withTeamId(shown);
    },

    /** Updates a schedule of a team atomically; returns null if there is none or its dates conflict. */
    async updateSchedule({ organizationId }, id, teamId, changes) {
      const { startDate, endDate } = changes;
      const set = { ...changes, updatedAt: new Date() };
      const moves = startDate && !endDate;
      const end = {
        $cond: [
          { $gt: ['$endDate', startDate] },
          '$endDate',
          { $add: ['$endDate', { $subtract: [startDate, '$startDate'] }] },
        ],
      };
      const literals = () =>
        Object.fromEntries(Object.entries(set).map(([name, value]) => [name, { $literal: value }]));
      const schedule = await schedules.findOneAndUpdate(
        {
          _id: new ObjectId(id),
          organizationId,
          teamOneId: new ObjectId(teamId),
          deletedAt: null,
          ...(endDate && !startDate && { startDate: { $lt: endDate } }),
        },
        moves
          ? [{ $set: { ...literals(), endDate: end, revision: { $add: ['$revision', 1] } } }]
          : { $set: set, $inc: { revision: 1 } },
        { projection: inner, returnDocument: 'after' },
      );
      return schedule && withTeamId(schedule);
    },

    async insertPlayer({ organizationId, createdBy }, teamId, fields) {
      const now = new Date();
      const shown = {
        _id: new ObjectId(),
        teamId: new ObjectId(teamId),
        organizationId,
        ...fields,
        createdAt: now,
        updatedAt: now,
        revision: 1,
      };
      await players.insertOne({ ...shown, createdBy, deletedAt: null });
      return shown;
    },
  };
}
