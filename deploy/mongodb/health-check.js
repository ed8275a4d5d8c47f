/* global db, quit, rs */

/**
 * Health check of each MongoDB member in docker-compose.yml, run by mongosh. Exits with 0 if the set has a primary and this member is
 * active. The first member creates the set as soon as all members are reachable; if two did so concurrently, there would be two sets. The
 * primary creates the users, as MongoDB lets an unknown client on its machine create the first one.
 */
const { readFileSync } = require('node:fs');
const { hostname } = require('node:os');

const members = ['mongodb-1', 'mongodb-2', 'mongodb-3'].map((name, index) => ({ _id: index, host: `${name}:27017` }));

const readJson = (file) => JSON.parse(readFileSync(`/replica-set/${file}`, 'utf8'));

/** Returns user and password of the URI in a secret. */
function loginIn(secret) {
  const [, user, pwd] = /mongodb:\/\/([^:]+):([^@]+)@/.exec(readFileSync(`/run/secrets/${secret}`, 'utf8'));
  return { user: decodeURIComponent(user), pwd: decodeURIComponent(pwd) };
}

/** Creates the users, unless the database of the servers has one: a user that was replaced and dropped stays dropped. */
function createUsers() {
  const [admin, data] = [db.getSiblingDB('admin'), db.getSiblingDB('flagfootball')];
  const root = loginIn('mongodb-root');
  try {
    admin.auth({ ...root });
  } catch {
    admin.createUser({ ...root, roles: ['root'] });
    admin.auth({ ...root });
  }
  if (data.getUsers().users.length > 0) return;
  create(admin, { ...loginIn('mongodb-backup'), roles: ['backup'] });
  create(admin, { ...loginIn('mongodb-monitor'), roles: ['clusterMonitor', { role: 'read', db: 'local' }] });
  if (data.getRole('api') === null) data.createRole(readJson('api-role.json'));
  // Last, so that a check that was interrupted is repeated.
  data.createUser({ ...loginIn('mongodb-api'), roles: ['api'] });
}

function create(database, user) {
  if (database.getUser(user.user) === null) database.createUser(user);
}

const { setName, primary, isWritablePrimary, secondary } = db.hello();
if (setName === undefined && hostname() === 'mongodb-1')
  rs.initiate({ _id: 'rs0', members, settings: readJson('replica-set-settings.json') });
if (isWritablePrimary) createUsers();
quit(primary !== undefined && (isWritablePrimary || secondary) ? 0 : 1);
