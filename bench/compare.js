import { arrangeParse } from './compare/arrange-parse.js';
import { arrange } from './compare/arrange.js';
import { readArguments } from './compare/arguments.js';
import { startContender } from './compare/contenders.js';
import { buildNestPeer, installPeers } from './compare/install-peers.js';
import { machineAndVersions } from './compare/machine.js';
import { measure, reset, startClient } from './compare/measure.js';
import { operations } from './compare/operations.js';
import { footprintOf, outcomeOf } from './compare/outcome.js';
import { residentMegabytes } from './compare/processes.js';
import { figuresFile, figuresOf, tablesOf } from './compare/report.js';
import { assertSameResponses, DifferentResponses } from './compare/same-responses.js';
import { writeFormatted, writeSection } from './support/performance-page.js';
import { startDatabase } from './support/server.js';

/**
 * `npm run bench`: compares this server, as in production, with its alternatives on one mongod, in turns.
 * Takes under 15 minutes; see docs/performance.md. `npm run bench -- --help` shows how to run a part.
 */
const { rounds, seconds, warm, starts, connections, names, peers, write } = readArguments();
const who = ['ours', ...peers];
/** Maximum resident memory of each contender under load, in megabytes. */
const most = Object.fromEntries(who.map((name) => [name, 0]));
const restMilliseconds = 1_000;
const warmRequests = 5_000;
const begun = performance.now();
const progress = (text) => console.error(`${((performance.now() - begun) / 1_000).toFixed(0).padStart(4)} s  ${text}`);

/** Measures several starts of each contender, in turns and without other load, and its memory at rest. */
async function measureStarts(uri) {
  const each = Object.fromEntries(who.map((name) => [name, []]));
  for (let round = 0; round < starts; round++) {
    for (const name of who) {
      const { pid, ready, stop } = await startContender(name, uri);
      await new Promise((resolve) => setTimeout(resolve, restMilliseconds));
      each[name].push({ ready, idle: await residentMegabytes(pid) });
      await stop();
    }
  }
  return each;
}

/** Creates the records through this server, and copies them for Parse Server, which has created its classes by then. */
async function fill(uri, servers) {
  const data = await arrange({ url: servers[0].url }, uri);
  if (servers.some(({ speaks }) => speaks === 'parse')) {
    const path = operations.statistics.contract(data)[0].path;
    const response = await fetch(new URL(path, servers[0].url), { headers: { Authorization: `Bearer ${data.key}` } });
    await arrangeParse(data, uri, (await response.json()).data);
  }
  return { ...data, started: new Date() };
}

/** Measures one operation: warm-up, then rounds in alternating order at each number of connections. */
async function compare(client, place, name) {
  const { servers, uri, data } = place;
  const turn = async (server, length, count) => {
    const measured = await measure(client, { ...place, server }, name, { connections: count, seconds: length });
    await reset(data, uri, name);
    return measured;
  };
  for (const server of servers) {
    // Until the JIT has optimized, by requests, or the time is over.
    for (let [sent, spent] = [0, 0]; sent < warmRequests && spent < warm; spent++)
      sent += (await turn(server, 1, connections[0])).requests;
  }
  const outcomes = [];
  for (const count of connections) {
    const turns = Object.fromEntries(who.map((one) => [one, []]));
    for (let round = 0; round < rounds; round++) {
      const order = round % 2 === 0 ? servers : [...servers].reverse();
      for (const server of order) turns[server.name].push(await turn(server, seconds, count));
    }
    for (const one of who) most[one] = Math.max(most[one], ...turns[one].map(({ megabytes }) => megabytes));
    outcomes.push(outcomeOf(operations[name].label, count, turns));
  }
  progress(operations[name].label);
  return outcomes;
}

async function run(uri) {
  const servers = [];
  const client = startClient();
  let data;
  try {
    for (const name of who) servers.push(await startContender(name, uri));
    data = await fill(uri, servers);
    await assertSameResponses(data, servers, names);
    await Promise.all(names.map((name) => reset(data, uri, name)));
    progress('All contenders respond equally.');
    const { pid } = await data.client.db().admin().serverStatus();
    const place = { servers, uri, data, mongodPid: Number(pid) };
    const outcomes = [];
    for (const name of names) outcomes.push(...(await compare(client, place, name)));
    const machine = await machineAndVersions(data.client);
    return { outcomes, machine, how: { rounds, seconds, sizes: data.sizes } };
  } finally {
    client.stop();
    for (const server of servers) await server.stop();
    await data?.client.close();
  }
}

installPeers();
if (peers.includes('nest')) buildNestPeer();
const database = await startDatabase();
try {
  const measured = await run(database.uri);
  const started = await measureStarts(database.uri);
  const result = { ...measured, ...(starts > 0 && footprintOf(started, most)) };
  const tables = tablesOf(result);
  console.log(`\n${tables}\n`);
  if (write) {
    await writeSection('bench', tables);
    await writeFormatted(figuresFile, JSON.stringify(figuresOf(result.outcomes)));
  }
  progress('Done.');
} catch (error) {
  if (!(error instanceof DifferentResponses)) throw error;
  console.error(error.message);
  process.exitCode = 1;
} finally {
  await database.stop();
}
