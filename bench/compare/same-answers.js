import { deepStrictEqual } from 'node:assert';
import { headersOf, operations } from './operations.js';
import { refusals } from './refusals.js';

/** Somebody does not answer as this server does: what is measured would not be the same. */
export class DifferentAnswers extends Error {}

/** How many of an operation's requests are compared. */
const compared = 5;

/**
 * Refuses to go on where the contenders do not answer the same: the bodies and statuses of those who speak the contract must be equal
 * but for ids and instants of what is made; Parse's records must be the same ones. What breaks a rule must be refused by everyone.
 * @throws DifferentAnswers that names contender and operation, and shows the difference
 */
export async function assertSameAnswers(data, servers, names) {
  const [ours, ...others] = servers;
  for (const name of names) {
    const wanted = await answersOf(ours, name, data);
    for (const other of others) {
      const given = await answersOf(other, name, data);
      const pairs = wanted.map((answer, place) => [answer, given[place]]);
      for (const [one, two] of pairs) demandSame(other, operations[name].label, one, two);
    }
  }
  const rules = Object.entries(refusals);
  for (const [what, { contract }] of rules.filter(([, forms]) => forms.contract))
    await demandSameRefusal(ours, others.filter(speaking('contract')), `a request ${what}`, contract(data), data.key);
  for (const [what, { parse }] of rules.filter(([, forms]) => forms.parse))
    for (const other of others.filter(speaking('parse')))
      await demandRefusal(other, `a request ${what}`, [parse(data)].flat(), data.key);
}

const speaking = (words) => (server) => server.speaks === words;

async function demandSameRefusal(ours, others, what, request, key) {
  const refused = await answer(ours, request, key);
  if (refused.status < 400) throw new Error(`${what} was not refused`);
  const pick = ({ status, body }) => ({ status, error: body.error });
  for (const other of others) demandEqual(other, what, pick(refused), pick(await answer(other, request, key)));
}

/** Refuses to go on where the last of the requests is accepted; those before it must be. */
async function demandRefusal(server, what, requests, key) {
  const statuses = [];
  for (const request of requests) statuses.push((await answer(server, request, key)).status);
  const isRight = (status, place) => status < 400 === place < statuses.length - 1;
  if (!statuses.every(isRight))
    throw new DifferentAnswers(
      `${server.label} does not refuse ${what} as it should: it answers ${statuses.join(', ')}`,
    );
}

async function answersOf(server, name, data) {
  const requests = operations[name][server.speaks](data).slice(0, compared);
  const answers = [];
  // One after the other: two changes of the same record must not cross.
  for (const request of requests) answers.push(await answer(server, request, data.key));
  return answers;
}

async function answer({ url, speaks }, { method, path, body, headers, unique }, key) {
  const sent = { ...headersOf(speaks, key), ...(unique && { [unique]: crypto.randomUUID() }), ...headers };
  const response = await fetch(new URL(path, url), { method, headers: sent, body });
  return { status: response.status, body: await response.json() };
}

function demandSame(other, label, ours, theirs) {
  if (other.speaks === 'parse') demandEqual(other, label, recordsOf(ours.body), parseRecordsOf(theirs.body));
  else
    demandEqual(other, label, { ...ours, body: normalised(ours.body) }, { ...theirs, body: normalised(theirs.body) });
}

function demandEqual({ label: who }, what, ours, theirs) {
  try {
    deepStrictEqual(theirs, ours);
  } catch (error) {
    throw new DifferentAnswers(`${who} does not answer ${what} as this server does:\n${error.message}`, {
      cause: error,
    });
  }
}

/** Without what differs from one creation or change to the next, and without what only this server offers. */
function normalised(body) {
  const { nextCursor, ...common } = body;
  if (nextCursor !== undefined && typeof nextCursor !== 'string') throw new Error('nextCursor is no text');
  // A single record that was made or changed just now, unwrapped.
  if (common.data !== undefined) return common;
  const made = Date.parse(common.createdAt) > Date.now() - 60_000;
  const hidden = { updatedAt: isInstant(common.updatedAt), ...(made && { _id: /^[0-9a-f]{24}$/.test(common._id) }) };
  return { ...common, ...hidden, ...(made && { createdAt: isInstant(common.createdAt) }) };
}

const isInstant = (text) => new Date(text).toISOString() === text;

/** Which records an answer holds, and how many there are in all; of what was made or changed only that it was. */
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
