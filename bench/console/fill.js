import mongoose from 'mongoose';
import { copyOf, store } from '../growth/fill.js';

const { ObjectId } = mongoose.mongo;
const hour = 3_600_000;
const day = 24 * hour;
const daysAgo = (days) => new Date(Date.now() - days * day);

const sizes = {
  organizations: 2_000,
  keys: 20_000,
  endpoints: 500,
  events: 100_000,
  deliveries: 5_000,
  games: 500,
  players: 20_000,
};

/** Inserts copies of what an organization has, for the console: the first one has the most. */
export async function fillConsole(database, own) {
  const template = (name, filter = { organizationId: own.organization }) => database.collection(name).findOne(filter);
  const [organization, user, key, endpoint, game, player] = await Promise.all([
    template('organizations', { _id: own.organization }),
    template('users'),
    template('apiKeys'),
    template('webhookEndpoints'),
    template('schedules'),
    template('players'),
  ]);
  const owners = Array.from({ length: sizes.organizations }, (_, index) => ({
    organizationId: new ObjectId(),
    creatorId: new ObjectId(),
    createdAt: daysAgo(1_000 - index / 2),
  }));
  const ownerOf = (index) => owners[index % owners.length];
  const numbered = (index) => String(index).padStart(5, '0');

  await store(database.collection('organizations'), owners.length, (index) => {
    const { organizationId: _id, creatorId, createdAt } = owners[index];
    return { ...copyOf(organization, { name: `League ${numbered(index)}`, creatorId, createdAt }), _id };
  });
  await store(database.collection('users'), owners.length, (index) => {
    const { organizationId, creatorId: _id, createdAt } = owners[index];
    return { ...copyOf(user, { organizationId, email: `${index}@example.com`, createdAt }), _id };
  });
  await store(database.collection('apiKeys'), sizes.keys, (index) =>
    copyOf(key, {
      organizationId: ownerOf(index).organizationId,
      name: `Key ${numbered(index)}`,
      keyPrefix: `ffk_live_${String(index).padStart(12, '0')}`,
      createdAt: daysAgo(900 - index / 25),
      ...(index % 3 > 0 && { lastUsedAt: daysAgo(index % 200) }),
      ...(index % 10 === 0 && { expiresAt: new Date(Date.now() + ((index % 90) - 10) * day) }),
    }),
  );
  await store(database.collection('webhookEndpoints'), sizes.endpoints, (index) =>
    copyOf(endpoint, {
      organizationId: ownerOf(index).organizationId,
      url: `https://partner-${numbered(index)}.example.com/webhooks`,
      failingSince: new Date(Date.now() - index * 60_000),
      lastDelivery: { at: daysAgo(0), statusCode: 500, durationMs: 80 },
    }),
  );
  await store(database.collection('schedules'), sizes.games, (index) =>
    copyOf(game, { eventTitle: `Game ${numbered(index)}`, ...(index % 5 === 0 && { status: 'postponed' }) }),
  );
  await store(database.collection('players'), sizes.players, (index) =>
    copyOf(player, { name: `Jordan Lee${numbered(index)}`, email: `${index}@example.com`, idempotency: null }),
  );
  await fillLogs(database, own, { owners, endpoint });
}

/** Inserts audit events, the deliveries of an endpoint, and the usage of the last 24 hours, of one organization of 7 days. */
async function fillLogs(database, own, { owners, endpoint }) {
  const organizationId = own.organization;
  const ago = (index) => new Date(Date.now() - index * 60_000);
  await store(database.collection('auditEvents'), sizes.events, (index) => {
    const { organizationId: changed, creatorId: _id } = owners[index % owners.length];
    const actor = { kind: 'user', _id, email: `${index % owners.length}@example.com` };
    const action = index % 2 === 0 ? 'login' : 'updateOrganization';
    return { at: ago(index), action, outcome: 'success', actor, organizationId: changed };
  });
  const attempts = [{ at: daysAgo(1), statusCode: 500, durationMs: 80 }];
  const failed = { organizationId, endpointId: endpoint._id, event: 'team.created', status: 'failed', attempts };
  await store(database.collection('webhookDeliveries'), sizes.deliveries, (index) => {
    return { ...failed, record: `team.${new ObjectId()}`, createdAt: ago(index) };
  });
  const counts = (at, owner, count, keyId) => {
    const outcomes = Array.from({ length: count }, (_, index) => [
      `${keyId}|operation${index}|${index % 2 === 0 ? '200|0' : '403|40305'}`,
      { requests: 1 + index },
    ]);
    const time = new Date(Math.floor(Date.now() / hour - at) * hour);
    const sums = { requests: 40, errors: 4, errorCodes: { 40305: 4 }, outcomes: Object.fromEntries(outcomes) };
    return { _id: `${owner}.${at}`, organizationId: owner, hour: time, ...sums };
  };
  const collection = database.collection('requestCounts');
  await store(collection, 24 * owners.length, (index) =>
    counts(index % 24, owners[Math.floor(index / 24)].organizationId, 3, own.key),
  );
  await store(collection, 168, (index) => counts(index, organizationId, 200, own.key));
}
