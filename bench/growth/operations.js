import mongoose from 'mongoose';
import { CursorPage } from '../../dist/database/cursor-page.js';

/** The operations that could be slower with more data, each as one request. Writes come last. */
export const reads = {
  'GET /teams': (organization) => organization.send('GET', '/teams'),
  'GET /schedules?filter=upcoming': (organization) => organization.send('GET', '/schedules?filter=upcoming'),
  'GET /schedules?filter=live': (organization) => organization.send('GET', '/schedules?filter=live'),
  'GET /schedules/{id}': (organization) => organization.send('GET', `/schedules/${organization.game}`),
  'GET …/player-statistics': (organization) =>
    organization.send('GET', `/schedules/${organization.game}/player-statistics`),
};

export const writes = {
  'POST /schedules': (organization) => organization.newSchedule(),
  'PATCH /schedules/{id}': (organization, index) =>
    organization.send('PATCH', `/schedules/${organization.game}`, {
      teamId: organization.teams[0],
      eventTitle: `Game ${index}`,
    }),
  'POST …/players (idem-key)': (organization) => organization.newPlayer(),
};

/** The last page by number, which can exceed the deadline, and by cursor; both from `prepareDeep`. */
export const deep = {
  'GET /schedules, the last page by cursor': (organization) =>
    organization.send('GET', `/schedules?limit=20&cursor=${organization.deep.cursor}`),
  'GET /schedules, the last page by page': (organization) =>
    organization.send('GET', `/schedules?limit=20&page=${organization.deep.page}`).catch(() => undefined),
};

/** A list right after a write of the organization, whose total is counted again. */
export const afterWrites = {
  'GET /schedules?filter=upcoming after each write': async (organization) => {
    await organization.newSchedule();
    await organization.send('GET', '/schedules?filter=upcoming');
  },
};

/**
 * Stores the position of the last page. A walk to it by cursors would count the total for each page, which takes an hour
 * for a million schedules.
 */
export async function prepareDeep(organization) {
  const { total } = await organization.send('GET', '/schedules?limit=20');
  const newest = { startDate: -1, _id: -1 };
  const own = { organizationId: new mongoose.mongo.ObjectId(organization.id) };
  const [end] = await organization.database.collection('schedules').find(own).sort(newest).skip(20).limit(1).toArray();
  const page = new CursorPage(organization.id, { limit: 20 }, 'schedules', new Date());
  const position = { at: end.startDate, id: String(end._id) };
  organization.deep = { page: Math.ceil(total / 20), cursor: page.next(position).nextCursor };
  const { data, nextCursor } = await deep['GET /schedules, the last page by cursor'](organization);
  if (data.length !== 20 || nextCursor !== undefined) throw new Error('This is not the last page');
}
