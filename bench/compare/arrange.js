import { createHash } from 'node:crypto';
import mongoose from 'mongoose';
import { admin, createOrganization, logIn } from '../support/server.js';
import { statisticsRows } from './statistics-rows.js';
import { timeBucketOf } from '../../dist/modules/schedules/time-bucket.js';

/** The records of all contenders: the server creates organization, key and season; the rest is inserted directly. */
const size = { teams: 40, playersOfTeam: 12, schedules: 5_000, live: 30, upcoming: 1_000 };
const { ObjectId, MongoClient } = mongoose.mongo;
const minute = 60_000;
const hour = 60 * minute;
/** Older than anything written during a run, so that `reset` can tell them apart. */
const seededAt = new Date(Date.now() - 24 * hour);
const stamps = { createdAt: seededAt, updatedAt: seededAt, deletedAt: null, revision: 1 };

/**
 * Fills the database through a running server.
 * @returns the key, IDs for the requests, `sizes` for the report, and the `client` of the database, which the caller
 * closes
 */
export async function arrange(server, uri) {
  const client = await new MongoClient(uri).connect();
  const db = client.db();
  const own = await createOrganization(server);
  const other = await createOrganization(server);
  const token = await logIn(server);
  const season = await admin(server, token, 'POST', '/seasons', {
    ...{ name: 'Spring', organizationId: own.id },
    ...{ startDate: '2026-01-01T00:00:00Z', endDate: '2028-12-31T00:00:00Z' },
  });
  const { creator } = await creatorOf(db, own.id);
  const owner = { organizationId: new ObjectId(own.id), createdBy: creator };

  await db.collection('benchKeys').createIndex({ digest: 1 }, { unique: true });
  const digest = createHash('sha256').update(own.apiKey).digest('hex');
  await db.collection('benchKeys').insertOne({ digest, ...owner });

  const teams = Array.from({ length: size.teams }, (_, index) => createTeam(owner, season._id, index));
  const players = teams.flatMap((team) =>
    Array.from({ length: size.playersOfTeam }, (_, index) => createPlayer(owner, team._id, index)),
  );
  const schedules = Array.from({ length: size.schedules }, (_, index) => createSchedule(owner, teams, index));
  const foreign = createTeam({ ...owner, organizationId: new ObjectId(other.id) }, season._id, 0);
  const foreignSchedule = createSchedule({ ...owner, organizationId: new ObjectId(other.id) }, [foreign, foreign], 0);
  await db.collection('teams').insertMany([...teams, foreign]);
  await db.collection('players').insertMany(players);
  await db.collection('schedules').insertMany([...schedules, foreignSchedule]);
  // The usual index for live schedules; this server does not use it, but maintains it.
  await db.collection('schedules').createIndex({ organizationId: 1, deletedAt: 1, endDate: 1, startDate: 1 });

  const past = schedules.filter(({ endDate }) => endDate < new Date());
  const played = past.find(({ teamOneId, teamTwoId }) => teamOneId === teams[0]._id && teamTwoId === teams[1]._id);
  const rosters = teams.slice(0, 2).map((team) => players.filter(({ teamId }) => teamId === team._id));
  const rows = rosters.flatMap((roster) => statisticsRows(roster.slice(0, 6).map(({ _id }) => String(_id))));
  const route = `/schedules/${played._id}/player-statistics`;
  await admin(server, token, 'PUT', route, { rows });

  const spread = (count) =>
    Array.from({ length: count }, (_, index) => past[Math.floor((index * past.length) / count)]);
  return {
    ...{ client, key: own.apiKey, sizes: size, now: new Date() },
    ...{ organizationId: own.id, teams: teams.slice(0, 2).map(({ _id }) => String(_id)) },
    ...{ foreignTeam: String(foreign._id), foreignSchedule: String(foreignSchedule._id), played: String(played._id) },
    changed: spread(200).map(({ _id, teamOneId, startDate }) => ({
      ...{ id: String(_id), teamId: String(teamOneId), startDate },
    })),
    read: spread(100).map(({ _id }) => String(_id)),
  };
}

async function creatorOf(db, organizationId) {
  const key = await db.collection('apiKeys').findOne({ organizationId: new ObjectId(organizationId) });
  return { creator: key.createdBy };
}

function createTeam(owner, season, index) {
  return {
    _id: new ObjectId(),
    name: `Hawks ${index}`,
    season: new ObjectId(season),
    footballType: 'flag',
    ageGroup: 'open',
    gender: 'coed',
    isArchived: false,
    logoUrl: `https://cdn.example.com/teams/hawks-${index}.png`,
    ...owner,
    ...stamps,
  };
}

function createPlayer(owner, teamId, index) {
  return {
    _id: new ObjectId(),
    teamId,
    name: `Jordan Lee ${index}`,
    email: `jordan.lee.${index}@example.com`,
    position: ['QB', 'WR'],
    jerseyNumber: String(index),
    ...owner,
    ...stamps,
  };
}

/** The first ones are live, the next ones upcoming, the rest past. */
function createSchedule(owner, teams, index) {
  const startDate = new Date(Math.floor(Date.now() / hour) * hour + startsIn(index));
  const [one, two] = [teams[index % teams.length], teams[(index + 1) % teams.length]];
  // A live one ends after the run.
  const endDate = new Date(startDate.getTime() + (index < size.live ? 12 * hour : hour));
  return {
    _id: new ObjectId(),
    teamOneId: one._id,
    season: one.season,
    teamTwoId: two._id,
    teamTwoName: two.name,
    eventType: 'game',
    status: 'scheduled',
    eventTitle: `${one.name} vs ${two.name}`,
    startDate,
    endDate,
    timeBucket: timeBucketOf({ startDate, endDate }),
    duration: 60,
    matchupFormat: 'halves',
    teamFormat: '7v7',
    isTestGame: false,
    isScrimmage: false,
    enableYardage: true,
    allowZeroYardStart: false,
    fieldSizeInYard: 50,
    overtimeType: 'limited',
    overtimeDuration: 10,
    locationName: 'Riverside Park, field 3',
    tournamentId: 'spring-cup-2027',
    ...owner,
    ...stamps,
  };
}

/** Returns the milliseconds from the last full hour to the start of a schedule. */
function startsIn(index) {
  if (index < size.live) return -hour - index * minute;
  const place = index - size.live;
  return place < size.upcoming ? (24 + place) * hour : -(48 + (place - size.upcoming)) * hour;
}
