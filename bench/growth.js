import os from 'node:os';
import mongoose from 'mongoose';
import { fillOrganizations, fillSchedules } from './growth/fill.js';
import { afterWrites, deep, prepareDeep, reads, writes } from './growth/operations.js';
import { BenchOrganization } from './growth/organization.js';
import { publish } from './growth/publish.js';
import { percentile, table } from './support/figures.js';
import { startDatabase, startServer } from './support/server.js';

/**
 * `npm run bench:growth`: measures the operations with few and many schedules in the organization, and with few and
 * many organizations in the database, one request after the other, in turns over the sizes. The result is the ratio of
 * the largest size to the smallest. `npm run bench:growth -- [<schedules,…> [<organizations,…>]]` takes about five
 * minutes with 5000,300000,1000000 and 1,1000,100000. Without arguments it writes bench/growth.json and the tables in
 * docs/performance.md between `growth:begin` and `growth:end`.
 */
const sizesOf = (given, usual) => (given ?? usual).split(',').map(Number);
const scheduleSizes = sizesOf(process.argv[2], '5000,300000,1000000');
const organizationSizes = sizesOf(process.argv[3], '1,1000,100000');
const samples = 200;
const fewSamples = 20;
/** For operations that can take as long as the deadline. */
const fewest = 4;

/** Milliseconds of each sample, by operation and size. */
const bySchedules = {};
const byOrganizations = {};

async function measure(operations, organizations, figures, count = samples) {
  for (const [name, send] of Object.entries(operations)) {
    const rows = (figures[name] ??= {});
    for (let index = -Math.min(5, count); index < count; index++) {
      for (const [size, organization] of organizations) {
        await send(organization, index);
        if (index >= 0) (rows[size] ??= []).push(organization.milliseconds);
      }
    }
  }
}

/** Returns the first stored record that matches. */
const stored = (database, collection, filter) => database.collection(collection).findOne(filter);

async function withSchedules(server, database) {
  const organizations = [];
  for (const size of scheduleSizes) {
    const organization = await BenchOrganization.make(server);
    const _id = new mongoose.mongo.ObjectId(organization.game);
    const template = await stored(database, 'schedules', { _id });
    const begun = performance.now();
    const teams = organization.teams.map((team) => new mongoose.mongo.ObjectId(team));
    await fillSchedules(database, size - 1, template, teams);
    console.log(`${size} schedules are stored in ${((performance.now() - begun) / 1_000).toFixed(0)} s`);
    organizations.push([size, organization]);
  }
  // Until then, records created through the API count as recent changes.
  await new Promise((resolve) => setTimeout(resolve, 31_000));
  for (const [, organization] of organizations) await prepareDeep(organization);
  await measure(reads, organizations, bySchedules);
  const { 'GET /schedules, the last page by page': byPage, ...byCursor } = deep;
  await measure(byCursor, organizations, bySchedules);
  await measure({ 'GET /schedules, the last page by page': byPage }, organizations, bySchedules, fewest);
  await measure(writes, organizations, bySchedules);
  await measure(afterWrites, organizations, bySchedules, fewSamples);
}

async function withOrganizations(server, database) {
  const organization = await BenchOrganization.make(server);
  const organizationId = new mongoose.mongo.ObjectId(organization.id);
  const templates = {
    organization: await stored(database, 'organizations', { _id: organizationId }),
    user: await stored(database, 'users', { organizationId }),
    key: await stored(database, 'apiKeys', { organizationId }),
    team: await stored(database, 'teams', { organizationId }),
    schedule: await stored(database, 'schedules', { organizationId }),
  };
  let there = 1;
  for (const size of organizationSizes) {
    const begun = performance.now();
    await fillOrganizations(database, size - there, templates);
    console.log(`${size} organizations are stored in ${((performance.now() - begun) / 1_000).toFixed(0)} s`);
    there = size;
    await measure({ ...reads, ...writes }, [[size, organization]], byOrganizations);
  }
}

function report(figures, sizes, of) {
  const milliseconds = (value) => (value < 10 ? value.toFixed(2) : value.toFixed(0));
  const rows = Object.entries(figures).map(([name, values]) => {
    const p50 = sizes.map((size) => percentile(values[size], 0.5));
    return [`\`${name}\``, ...p50.map(milliseconds), (p50.at(-1) / p50[0]).toFixed(2)];
  });
  const head = sizes.map((size) => size.toLocaleString('en'));
  return table([`p50 in ms, ${of}`, ...head, 'largest / smallest'], rows);
}

/** p50 and p99 of each operation and size, in milliseconds. */
function summary(figures) {
  const ofSizes = (values) =>
    Object.fromEntries(
      Object.entries(values).map(([size, each]) => [
        size,
        { p50: percentile(each, 0.5), p99: percentile(each, 0.99), samples: each.length },
      ]),
    );
  return Object.fromEntries(Object.entries(figures).map(([name, values]) => [name, ofSizes(values)]));
}

const mongod = await startDatabase();
const server = await startServer(mongod.uri);
const client = await mongoose.createConnection(mongod.uri).asPromise();
try {
  await withSchedules(server, client.db);
  await withOrganizations(server, client.db);
} finally {
  await client.close();
  await server.stop();
  await mongod.stop();
}
const machine = `${os.cpus().length} cores (${os.cpus()[0]?.model}), Node ${process.version}, ${new Date().toISOString().slice(0, 10)}; one request after the other, in turns over the sizes.`;
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
