import mongoose from 'mongoose';
import { timeBucketOf } from '../../dist/modules/schedules/time-bucket.js';

const { ObjectId } = mongoose.mongo;
const minute = 60_000;
const batch = 5_000;
/** What is filled in was written so long ago that nothing of it is under way. */
const age = 60 * minute;

/** Stores so many records, made one by one, as fast as the database takes them. */
async function store(collection, count, make) {
  let under = Promise.resolve();
  for (let made = 0; made < count; made += batch) {
    const records = Array.from({ length: Math.min(batch, count - made) }, (_, index) => make(made + index));
    await under;
    under = collection.insertMany(records, { ordered: false, forceServerObjectId: true });
    under.catch(() => undefined);
  }
  await under;
}

/** A stored record again, as another one that was written long ago. */
function copyOf(template, fields) {
  const written = new Date(Date.now() - age);
  return { ...template, createdAt: written, updatedAt: written, ...fields, _id: new ObjectId() };
}

/**
 * Fills an organization up to so many schedules of 30 minutes, one beginning each minute, half of them in the past: the same few are live
 * in any of them.
 * @param template one of its schedules, as it is stored
 */
export async function fillSchedules(database, count, template, teams) {
  const now = Date.now();
  await store(database.collection('schedules'), count, (index) => {
    const startDate = new Date(now + (index - Math.floor(count / 2)) * minute);
    const dates = { startDate, endDate: new Date(startDate.getTime() + 30 * minute) };
    return copyOf(template, { ...dates, timeBucket: timeBucketOf(dates), teamOneId: teams[index % teams.length] });
  });
}

/** Fills the database with further organizations: each with a creator, a key, a team and three schedules, as the templates have them. */
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
