import { BSON, type Db } from 'mongodb';
import { createOrganization, type Stored, type TestOrganization } from './organization.js';
import { secondsFromNow } from './schedules.js';
import type { RunningServer } from './server.js';

/** An organization with at least one record of every kind. */
export interface FullOrganization {
  readonly organization: TestOrganization;
  readonly season: Stored;
  readonly team: Stored;
  readonly opponent: Stored;
  readonly player: Stored;
  /** A schedule of the team against the opponent, with statistics. */
  readonly schedule: Stored;
  /** A practice of the team that is in progress. */
  readonly live: Stored;
  /** A webhook endpoint that no name server knows, for an event that does not happen. */
  readonly endpoint: Stored;
  /** A `ping` to it. */
  readonly delivery: Stored;
  readonly calendarLink: Stored;
}

/** The external ID of the season, the team, the player and the schedule, equal in all organizations. */
export const knownExternalId = 'known-4711';

/** Creates one; `word` is in every string of it, so that tests can detect leaks. */
export async function createFullOrganization(
  server: RunningServer,
  word: string,
  fields: { isSandbox?: boolean } = {},
): Promise<FullOrganization> {
  const organization = await createOrganization(server, `${word} organization`, fields);
  const season = await create(organization, '/seasons', 201, {
    name: `${word} season`,
    startDate: '2027-03-01T00:00:00Z',
    endDate: '2027-06-30T00:00:00Z',
    externalId: knownExternalId,
  });
  const team = await organization.team({ name: `${word} team`, season: season._id, externalId: knownExternalId });
  const opponent = await organization.team({
    name: `${word} opponent`,
    season: season._id,
    externalId: `${word}-opponent`,
  });
  const player = await organization.player(team._id, {
    name: `${word} player`,
    email: `${word}@example.com`,
    externalId: knownExternalId,
  });
  const schedule = await organization.schedule(team._id, {
    teamTwoId: opponent._id,
    teamTwoName: `${word} guests`,
    locationName: `${word} field`,
    externalId: knownExternalId,
  });
  const live = await organization.schedule(team._id, {
    teamTwoName: `${word} trainer`,
    eventType: 'practice',
    startDate: secondsFromNow(-60),
    endDate: secondsFromNow(3_600),
  });
  const rows = [{ playerId: player._id, category: 'qb', stats: { passAttempts: 3, completions: 2 } }];
  const put = server.asSuperAdmin('put', `/schedules/${schedule._id}/player-statistics`);
  await put.send({ rows }).expect(200);
  const endpoint = await create(organization, '/webhook-endpoints', 201, {
    url: `https://erp.invalid/${word}`,
    description: `${word} endpoint`,
    events: ['team.deleted'],
  });
  const delivery = await create(organization, `/webhook-endpoints/${endpoint._id}/test`, 202);
  const calendarLink = await create(organization, `/teams/${team._id}/calendar-links`, 201, {
    description: `${word} parents`,
  });
  return { organization, season, team, opponent, player, schedule, live, endpoint, delivery, calendarLink };
}

async function create(organization: TestOrganization, path: string, status: number, body = {}): Promise<Stored> {
  return (await organization.call('post', path).send(body).expect(status)).body as Stored;
}

/**
 * Every document of a database as text with its collection, without the change feed, counts of requests, failed requests, the last use of
 * keys and the former names of teams, which change at any time.
 * @param id only documents that contain this record ID: the others are not parsed, which takes most of the time
 */
export async function dumpDatabase(database: Db, id = ''): Promise<string[]> {
  const late = ['changes', 'recordHistory', 'requestCounts', 'failedRequests'];
  const names = (await database.collections()).map(({ collectionName }) => collectionName);
  // One command for all collections: one for each would take a quarter of the processor time of the tests of isolation.
  const unions = names
    .filter((name) => !late.includes(name))
    .map((coll) => {
      const pipeline = [{ $unset: ['lastUsedAt', 'lastUsedFrom', 'formerNames'] }, { $set: { collection: coll } }];
      return { $unionWith: { coll, pipeline } };
    });
  const all = database.aggregate([{ $documents: [] }, ...unions], { raw: true });
  const documents = (await all.toArray()) as unknown as Buffer[];
  const [text, binary] = [Buffer.from(id), Buffer.from(id, 'hex')];
  return documents
    .filter((document) => document.includes(text) || document.includes(binary))
    .map(textOf)
    .sort();
}

/** Parsed documents by their bytes, because tests dump the same ones again and again. */
const texts = new Map<string, string>();

function textOf(document: Buffer): string {
  const bytes = document.toString('latin1');
  const text = texts.get(bytes) ?? JSON.stringify(BSON.deserialize(document));
  texts.set(bytes, text);
  return text;
}
