import mongoose from 'mongoose';
import { timeBucketOf } from '../../dist/modules/schedules/time-bucket.js';

const { ObjectId } = mongoose.mongo;
const minute = 60_000;
const batch = 5_000;
/** Time of the inserted records, long before the run. */
const age = 60 * minute;

/** Inserts records in batches. */
export async function store(collection, count, make) {
  let under = Promise.resolve();
  for (let made = 0; made < count; made += batch) {
    const records = Array.from({ length: Math.min(batch, count - made) }, (_, index) => make(made + index));
    await under;
    under = collection.insertMany(records, { ordered: false, forceServerObjectId: true });
    under.catch(() => undefined);
  }
  await under;
}

/** Copies a stored record with a new ID and an old time. */
export function copyOf(template, fields) {
  const written = new Date(Date.now() - age);
  return { ...template, createdAt: written, updatedAt: written, ...fields, _id: new ObjectId() };
}

/**
 * Inserts schedules of 30 minutes, one starting each minute, half of them in the past, so that equally few are live
 * at any size.
 * @param template a stored schedule of the organization
 */
export async function fillSchedules(database, count, template, teams) {
  const now = Date.now();
  await store(database.collection('schedules'), count, (index) => {
    const startDate = new Date(now + (index - Math.floor(count / 2)) * minute);
    const dates = { startDate, endDate: new Date(startDate.getTime() + 30 * minute) };
    return copyOf(template, { ...dates, timeBucket: timeBucketOf(dates), teamOneId: teams[index % teams.length] });
  });
}

/** Inserts organizations, each with a creator, a key, a team and three schedules, as copies of the templates. */
export async function fillOrganizations(database, count, { organization, user, key, team, schedule }) {
  const ids = Array.from({ length: count }, () => ({
    organization: new ObjectId(),
    user: new ObjectId(),
    team: new ObjectId(),
  }));
  const of = (index) => ({ organizationId: ids[index].organization });
  const run = Date.now().toString(36);
  await store(database.collection('organizations'), count, (index) => ({
    ...copyOf(organization, { creatorId: ids[index].user }),
    _id: ids[index].organization,
  }));
  await store(database.collection('users'), count, (index) => ({
    ...copyOf(user, { ...of(index), email: `${run}-${index}@example.com` }),
    _id: ids[index].user,
  }));
  await store(database.collection('apiKeys'), count, (index) =>
    copyOf(key, { ...of(index), keyPrefix: `ffk_live_${run}${String(index).padStart(8, '0')}` }),
  );
  await store(database.collection('teams'), count, (index) => ({ ...copyOf(team, of(index)), _id: ids[index].team }));
  const { startDate, endDate } = schedule;
  await store(database.collection('schedules'), 3 * count, (index) => {
    const at = Math.floor(index / 3);
    return copyOf(schedule, { ...of(at), startDate, endDate, teamOneId: ids[at].team });
  });
}
