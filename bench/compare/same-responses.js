import { deepStrictEqual } from 'node:assert';
import { headersOf, operations } from './operations.js';
import { rejections } from './rejections.js';

/** A contender responds differently, so its figures would not be comparable. */
export class DifferentResponses extends Error {}

/** Number of compared requests per operation. */
const compared = 5;

/**
 * Compares the responses of all contenders: bodies and statuses of the contract must be equal
 * except for IDs and times of created records; Parse must return the same records. All must reject invalid requests.
 * @throws DifferentResponses with the contender, the operation and the difference
 */
export async function assertSameResponses(data, servers, names) {
  const [ours, ...others] = servers;
  for (const name of names) {
    const expected = await sendAll(ours, name, data);
    for (const other of others) {
      const theirs = await sendAll(other, name, data);
      const pairs = expected.map((response, place) => [response, theirs[place]]);
      for (const [one, two] of pairs) assertSame(other, operations[name].label, one, two);
    }
  }
  const rules = Object.entries(rejections);
  for (const [what, { contract }] of rules.filter(([, forms]) => forms.contract))
    await assertSameRejection(ours, others.filter(speaking('contract')), `a request ${what}`, contract(data), data.key);
  for (const [what, { parse }] of rules.filter(([, forms]) => forms.parse))
    for (const other of others.filter(speaking('parse')))
      await assertRejection(other, `a request ${what}`, [parse(data)].flat(), data.key);
}

const speaking = (words) => (server) => server.speaks === words;

async function assertSameRejection(ours, others, what, request, key) {
  const rejected = await send(ours, request, key);
  if (rejected.status < 400) throw new Error(`${what} was not rejected`);
  const pick = ({ status, body }) => ({ status, error: body.error });
  for (const other of others) assertEqual(other, what, pick(rejected), pick(await send(other, request, key)));
}

/** Expects the last request to be rejected and those before it to be accepted. */
async function assertRejection(server, what, requests, key) {
  const statuses = [];
  for (const request of requests) statuses.push((await send(server, request, key)).status);
  const isRight = (status, place) => status < 400 === place < statuses.length - 1;
  if (!statuses.every(isRight))
    throw new DifferentResponses(`${server.label} does not reject ${what}: it responds ${statuses.join(', ')}`);
}

async function sendAll(server, name, data) {
  const requests = operations[name][server.speaks](data).slice(0, compared);
  const responses = [];
  // One after the other, because two changes of one record must not overlap.
  for (const request of requests) responses.push(await send(server, request, data.key));
  return responses;
}

async function send({ url, speaks }, { method, path, body, headers, unique }, key) {
  const sent = { ...headersOf(speaks, key), ...(unique && { [unique]: crypto.randomUUID() }), ...headers };
  const response = await fetch(new URL(path, url), { method, headers: sent, body });
  return { status: response.status, body: await response.json() };
}

function assertSame(other, label, ours, theirs) {
  if (other.speaks === 'parse') assertEqual(other, label, recordsOf(ours.body), parseRecordsOf(theirs.body));
  else
    assertEqual(other, label, { ...ours, body: normalised(ours.body) }, { ...theirs, body: normalised(theirs.body) });
}

function assertEqual({ label: who }, what, ours, theirs) {
  try {
    deepStrictEqual(theirs, ours);
  } catch (error) {
    throw new DifferentResponses(`${who} does not respond to ${what} as this server does:\n${error.message}`, {
      cause: error,
    });
  }
}

/** Removes values that differ between requests, and fields that only this server has. */
function normalised(body) {
  const { nextCursor, ...common } = commonOf(body);
  if (nextCursor !== undefined && typeof nextCursor !== 'string') throw new Error('nextCursor is not a string');
  // A single created or updated record, without a wrapper.
  const { data } = common;
  if (data !== undefined) return { ...common, data: Array.isArray(data) ? data.map(commonOf) : commonOf(data) };
  const isNew = Date.parse(common.createdAt) > Date.now() - 60_000;
  const revision = Number.isInteger(common.revision);
  const hidden = {
    updatedAt: isInstant(common.updatedAt),
    revision,
    ...(isNew && { _id: /^[0-9a-f]{24}$/.test(common._id) }),
  };
  return { ...common, ...hidden, ...(isNew && { createdAt: isInstant(common.createdAt) }) };
}

/** Removes who changed a record, and the season of a schedule. */
function commonOf(record) {
  const common = { ...record };
  delete common.changedBy;
  if ('teamOneId' in record) delete common.season;
  return common;
}

const isInstant = (text) => new Date(text).toISOString() === text;

/** Returns the record IDs and the total of a list; of a write only that it succeeded. */
function recordsOf({ data, total, _id }) {
  if (Array.isArray(data))
    return { ids: data.map(({ _id: id, playerId, category }) => id ?? playerId + category).sort(), total };
  return { id: data ? data._id : _id !== undefined };
}

function parseRecordsOf({ results, count, objectId, updatedAt, ...record }) {
  if (results) {
    const ids = results.map(({ objectId: id, playerId, category }) => (category ? playerId + category : id));
    return { ids: ids.sort(), total: count };
  }
  const isRead = record.organizationId !== undefined;
  return { id: isRead ? objectId : (objectId ?? updatedAt) !== undefined };
}
