import { loadavg } from 'node:os';
import mongoose from 'mongoose';
import { fillSchedules } from './growth/fill.js';
import { BenchOrganization } from './growth/organization.js';
import { processorSeconds } from './compare/processes.js';
import { table } from './support/figures.js';
import { writeSection } from './support/performance-page.js';
import { startDatabase, startServer } from './support/server.js';

/**
 * `npm run bench:restore`: measures how long a cell with a number of schedules takes to be restored: the records and then
 * their indexes, which the driver writes in the same batches as mongorestore, the start of a server, and the change feed,
 * which it rebuilds. Writes the table in bench/README.md between `restore:begin` and `restore:end`;
 * `npm run bench:restore -- <schedules,…>` only prints.
 */
const sizes = (process.argv[2] ?? '100000,300000').split(',').map(Number);
const { ObjectId } = mongoose.mongo;
const connect = async (uri) => (await mongoose.createConnection(uri).asPromise()).db;
const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Creates a database with an organization of this size. */
async function createBackup(size) {
  const database = await startDatabase();
  const server = await startServer(database.uri, { METRICS_PORT: 'off' });
  const organization = await BenchOrganization.make(server);
  const db = await connect(database.uri);
  const template = await db.collection('schedules').findOne({ _id: new ObjectId(organization.game) });
  await fillSchedules(
    db,
    size - 1,
    template,
    organization.teams.map((team) => new ObjectId(team)),
  );
  await server.stop();
  return { database, db };
}

/** Copies all collections but the change feed, and then creates their indexes. */
async function restore(from, to) {
  for (const { name } of await from.listCollections({ type: 'collection' }).toArray()) {
    if (name === 'changes') continue;
    const records = from.collection(name).find().batchSize(1_000);
    for (let batch = []; await records.hasNext(); batch = []) {
      while (batch.length < 1_000 && (await records.hasNext())) batch.push(await records.next());
      await to.collection(name).insertMany(batch, { ordered: false });
    }
    const indexes = (await from.collection(name).indexes()).filter((index) => index.name !== '_id_');
    if (indexes.length > 0) await to.command({ createIndexes: name, indexes });
  }
}

const rows = [];
for (const size of sizes) {
  const backup = await createBackup(size);
  const database = await startDatabase();
  const db = await connect(database.uri);
  const mongod = Number((await db.admin().serverStatus()).pid);
  const cpuOf = async (...pids) => (await Promise.all(pids.map(processorSeconds))).reduce((sum, each) => sum + each, 0);
  const before = await cpuOf(mongod, process.pid);
  const times = [performance.now()];
  await restore(backup.db, db);
  times.push(performance.now());
  const own = await cpuOf(process.pid);
  const server = await startServer(database.uri, { METRICS_PORT: 'off' });
  times.push(performance.now());
  while ((await db.collection('changes').countDocuments({ kind: 'schedule' })) < size) await sleep(200);
  times.push(performance.now());
  const used = own + (await cpuOf(mongod, server.pid)) - before;
  const { dataSize, indexSize } = await db.command({ dbStats: 1, scale: 2 ** 20 });
  const steps = times.slice(1).map((time, index) => ((time - times[index]) / 1_000).toFixed(0));
  rows.push([size, ...steps, ...[used, dataSize, indexSize].map((figure) => figure.toFixed(0))]);
  console.error(`${rows.at(-1).join(' | ')} (load ${loadavg()[0].toFixed(1)})`);
  await server.stop();
  await mongoose.disconnect();
  await database.stop();
  await backup.database.stop();
}
const columns = [
  'records and indexes, s',
  'start, s',
  'change feed, s',
  'CPU time of all, s',
  'data, MB',
  'indexes, MB',
];
const result = table(['schedules', ...columns], rows);
console.log(result);
if (process.argv.length === 2) await writeSection('restore', result, 'bench/README.md');
