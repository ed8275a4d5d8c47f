/* global db, quit, rs */

/**
 * Health check of each MongoDB member in docker-compose.yml, run by mongosh. Exits with 0 if the set has a primary and this member is
 * active. The first member creates the set as soon as all members are reachable; if two did so concurrently, there would be two sets.
 */
const { readFileSync } = require('node:fs');
const { hostname } = require('node:os');

const NOT_YET_INITIALIZED = 94;

const members = ['mongodb-1', 'mongodb-2', 'mongodb-3'].map((name, index) => ({ _id: index, host: `${name}:27017` }));

try {
  rs.status();
} catch (error) {
  if (error.code !== NOT_YET_INITIALIZED || hostname() !== 'mongodb-1') throw error;
  const settings = JSON.parse(readFileSync('/replica-set/replica-set-settings.json', 'utf8'));
  rs.initiate({ _id: 'rs0', members, settings });
}
const { primary, isWritablePrimary, secondary } = db.hello();
quit(primary !== undefined && (isWritablePrimary || secondary) ? 0 : 1);
