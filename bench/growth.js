import os from 'node:os';
import mongoose from 'mongoose';
import { fillOrganizations, fillSchedules } from './growth/fill.js';
import { afterWrites, deep, prepareDeep, reads, writes } from './growth/operations.js';
import { BenchOrganization } from './growth/organization.js';
import { publish } from './growth/publish.js';
import { sample, whenQuiet } from './growth/sample.js';
import { median, percentile, table } from './support/figures.js';
import { startDatabase, startServer } from './support/server.js';

/**
 * `npm run bench:growth`: measures the operations with few and many schedules in the organization, and with few and
 * many organizations in the database, one request after the other, in turns over the sizes. The result is the ratio of
 * the largest size to the smallest, of processor time. `npm run bench:growth -- [<schedules,…> [<organizations,…>]]`
 * takes about fifteen minutes with 5000,300000,1000000 and 1,100000. Without arguments it writes bench/growth.json and
 * the tables in docs/performance.md between `growth:begin` and `growth:end`.
 */
const sizesOf = (given, usual) => (given ?? usual).split(',').map(Number);
const scheduleSizes = sizesOf(process.argv[2], '5000,300000,1000000');
const organizationSizes = sizesOf(process.argv[3], '1,100000');
const oplogMegabytes = 8_000;
const usual = { rounds: 9, requests: 10 };
const few = { rounds: 5, requests: 4 };
/** For operations that can take as long as the deadline. */
const fewest = { rounds: 2, requests: 2 };

/** Samples of each round, by operation and size. */
const bySchedules = {};
const byOrganizations = {};
const places = [];

/** Measures the operations in turns over the organizations, after a round that does not count. */
async function measure(operations, organizations, figures, { rounds, requests } = usual) {
  for (const [name, send] of Object.entries(operations)) {
    const rows = (figures[name] ??= {});
    for (let round = -1; round < rounds; round++) {
      for (const [size, organization] of organizations) {
        const taken = await sample(organization, send, requests);
        if (round >= 0) (rows[size] ??= []).push(taken);
      }
    }
  }
}

async function start() {
  const mongod = await startDatabase();
  const place = { mongod, server: await startServer(mongod.uri) };
  places.push(place);
  place.client = await mongoose.createConnection(mongod.uri).asPromise();
  // The default of an embedded mongod is too small for the change feed of so many records.
  await place.client.db.admin().command({ replSetResizeOplog: 1, size: new mongoose.mongo.Double(oplogMegabytes) });
  return { server: place.server, database: place.client.db };
}

/** Returns the first stored record that matches. */
const stored = (database, collection, filter) => database.collection(collection).findOne(filter);

async function withSchedules() {
  const { server, database } = await start();
  const organizations = [];
  for (const size of scheduleSizes) {
    const organization = await BenchOrganization.make(server, database);
    const _id = new mongoose.mongo.ObjectId(organization.game);
    const template = await stored(database, 'schedules', { _id });
    const teams = organization.teams.map((team) => new mongoose.mongo.ObjectId(team));
    await fillSchedules(database, size - 1, template, teams);
    console.log(`${size} schedules are stored`);
    organizations.push([size, organization]);
  }
  await whenQuiet(organizations);
  console.log(`The databases are quiet (load ${os.loadavg()[0].toFixed(1)})`);
  for (const [, organization] of organizations) await prepareDeep(organization);
  await measure(reads, organizations, bySchedules);
  const { 'GET /schedules, the last page by page': byPage, ...byCursor } = deep;
  await measure(byCursor, organizations, bySchedules);
  await measure({ 'GET /schedules, the last page by page': byPage }, organizations, bySchedules, fewest);
  await measure(writes, organizations, bySchedules);
  await measure(afterWrites, organizations, bySchedules, few);
}

async function withOrganizations() {
  const organizations = [];
  for (const size of organizationSizes) {
    const { server, database } = await start();
    const organization = await BenchOrganization.make(server, database);
    const organizationId = new mongoose.mongo.ObjectId(organization.id);
    await fillOrganizations(database, size - 1, {
      organization: await stored(database, 'organizations', { _id: organizationId }),
      user: await stored(database, 'users', { organizationId }),
      key: await stored(database, 'apiKeys', { organizationId }),
      team: await stored(database, 'teams', { organizationId }),
      schedule: await stored(database, 'schedules', { organizationId }),
    });
    console.log(`${size} organizations are stored`);
    organizations.push([size, organization]);
  }
  await whenQuiet(organizations);
  console.log(`The databases are quiet (load ${os.loadavg()[0].toFixed(1)})`);
  await measure({ ...reads, ...writes }, organizations, byOrganizations);
}

async function stop() {
  for (const { client, server, mongod } of places.splice(0)) {
    await client?.close();
    await server.stop();
    await mongod.stop();
  }
}

/** Median of the rounds, by what is measured. */
const figureOf = (rounds, name) => median(rounds.map((round) => round[name]));
const p50 = (rounds) =>
  percentile(
    rounds.flatMap(({ milliseconds }) => milliseconds),
    0.5,
  );

function report(figures, sizes, of) {
  const short = (value) => (value < 10 ? value.toFixed(2) : value.toFixed(0));
  const rows = Object.entries(figures).map(([name, values]) => {
    const processor = sizes.map((size) => figureOf(values[size], 'processor'));
    const cells = sizes.map((size, at) => `${short(processor[at])} (${short(p50(values[size]))})`);
    return [`\`${name}\``, ...cells, (processor.at(-1) / processor[0]).toFixed(2)];
  });
  const head = sizes.map((size) => size.toLocaleString('en'));
  return table([`CPU ms (p50 ms), ${of}`, ...head, 'largest / smallest'], rows);
}

/** The figures of each operation and size: milliseconds, and what a request makes the database do. */
function summary(figures) {
  const ofSize = (rounds) => ({
    processor: figureOf(rounds, 'processor'),
    p50: p50(rounds),
    commands: figureOf(rounds, 'commands'),
    keys: figureOf(rounds, 'keys'),
    documents: figureOf(rounds, 'documents'),
    requests: rounds.flatMap(({ milliseconds }) => milliseconds).length,
  });
  const ofSizes = (values) => Object.fromEntries(Object.entries(values).map(([size, each]) => [size, ofSize(each)]));
  return Object.fromEntries(Object.entries(figures).map(([name, values]) => [name, ofSizes(values)]));
}

try {
  await withSchedules();
  await stop();
  await withOrganizations();
} finally {
  await stop();
}
const load = os.loadavg()[0].toFixed(0);
const machine = `${os.cpus().length} cores (${os.cpus()[0]?.model}), Node ${process.version}, ${new Date().toISOString().slice(0, 10)}, load ${load}; CPU time of server and mongod.`;
const text = [
  report(bySchedules, scheduleSizes, 'schedules in the organization'),
  report(byOrganizations, organizationSizes, 'organizations in the database'),
  machine,
].join('\n\n');
console.log(`\n${text}`);
const isWhole = process.argv.length === 2;
if (isWhole) {
  await publish(text, { machine, schedules: summary(bySchedules), organizations: summary(byOrganizations) });
}
