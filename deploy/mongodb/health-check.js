/* global db, quit, rs */

/**
 * Run by mongosh in each member of docker-compose.yml. The first member, and no other, makes the set as soon as all can be reached: two
 * that did so at once would make two sets. Healthy (exit code 0) is a member that serves a set with a primary.
 */
const { readFileSync } = require('node:fs');
const { hostname } = require('node:os');

/** NotYetInitialized. */
const NO_SET_YET = 94;

const members = ['mongodb-1', 'mongodb-2', 'mongodb-3'].map((name, index) => ({ _id: index, host: `${name}:27017` }));

try {
  rs.status();
} catch (error) {
  if (error.code !== NO_SET_YET || hostname() !== 'mongodb-1') throw error;
  const settings = JSON.parse(readFileSync('/replica-set/replica-set-settings.json', 'utf8'));
  rs.initiate({ _id: 'rs0', members, settings });
}
const { primary, isWritablePrimary, secondary } = db.hello();
quit(primary !== undefined && (isWritablePrimary || secondary) ? 0 : 1);
