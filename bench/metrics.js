import mongoose from 'mongoose';
import { Metrics } from '../dist/common/metrics/metrics.js';
import { connectionOptions } from '../dist/database/connection-options.js';
import { DatabaseMetrics } from '../dist/database/database-metrics.js';
import { median, table } from './support/figures.js';
import { startDatabase } from './support/server.js';

/**
 * `npm run bench:metrics`: what a request pays for being measured, and what the database's operations would pay with the
 * driver's command events instead. Processor time, in microseconds, so that a busy machine falsifies it less.
 */
const rounds = Number(process.argv[2] ?? 9);

/** Processor time of the whole process for each turn of some work, in microseconds. */
async function processorTime(turns, work) {
  const begun = process.cpuUsage();
  for (let turn = 0; turn < turns; turn++) await work(turn);
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / turns;
}

/** The same without waiting, for what is over before a promise would be. */
function processorTimeAtOnce(turns, work) {
  const begun = process.cpuUsage();
  for (let turn = 0; turn < turns; turn++) work(turn);
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / turns;
}

const metrics = new Metrics();
metrics.measureProcess();

const routes = Array.from({ length: 30 }, (_, index) => `/v1/public-api/route-${index}/:id`);
const answer = (turn) => ({ method: 'GET', route: routes[turn % 30], status: 200, seconds: 0.004, error: undefined });
const recorded = {
  'a request (begun, counted, timed)': (turn) => {
    metrics.requestBegan();
    metrics.requestEnded(answer(turn));
  },
  'a key check': () => metrics.keyChecked('remembered'),
  'an operation of the database': () => metrics.databaseOperationEnded('findOne', 0.002, false),
};
const recording = Object.entries(recorded).map(([what, record]) => {
  const each = Array.from({ length: rounds }, () => processorTimeAtOnce(200_000, record));
  return [what, median(each).toFixed(2)];
});
const text = await metrics.registry.metrics();
const scrapes = [];
for (let round = 0; round < rounds; round++) {
  scrapes.push(await processorTime(20, () => metrics.registry.metrics()));
}
recording.push([`reading /metrics (${text.split('\n').length} lines)`, median(scrapes).toFixed(0)]);
console.log(table(['recorded', 'µs'], recording));

const database = await startDatabase();
const schema = new mongoose.Schema({
  name: String,
  organizationId: mongoose.Types.ObjectId,
  startDate: Date,
  notes: String,
});
const open = async (options) => {
  const connection = await mongoose.createConnection(database.uri, { ...connectionOptions, ...options }).asPromise();
  const client = connection.getClient();
  const count = () => undefined;
  if (options.monitorCommands)
    for (const event of ['Started', 'Succeeded', 'Failed']) client.on(`command${event}`, count);
  return connection.model('Thing', schema);
};
const ways = { plain: await open({}), 'command events': await open({ monitorCommands: true }) };
const organizationId = new mongoose.Types.ObjectId();
const things = Array.from({ length: 100 }, (_, index) => ({
  name: `Team ${index}`,
  organizationId,
  startDate: new Date(),
  notes: 'x'.repeat(60),
}));
await ways.plain.insertMany(things);
const operations = {
  findOne: (model) => model.findOne({ organizationId }).lean().exec(),
  'find, 20 records': (model) => model.find({ organizationId }).limit(20).lean().exec(),
  'find, 100 records': (model) => model.find({ organizationId }).limit(100).lean().exec(),
};
const results = [];
for (const [operation, work] of Object.entries(operations)) {
  const each = { plain: [], 'tracing channels': [], 'command events': [] };
  for (let round = -1; round < rounds; round++) {
    for (const way of Object.keys(each)) {
      const traced = way === 'tracing channels' ? new DatabaseMetrics(metrics, ways.plain.db) : undefined;
      const model = ways[way] ?? ways.plain;
      const time = await processorTime(300, () => work(model));
      traced?.onApplicationShutdown();
      if (round >= 0) each[way].push(time);
    }
  }
  results.push([operation, ...Object.values(each).map((times) => median(times).toFixed(0))]);
}
console.log(`\n${table(['operation, µs', 'plain', 'tracing channels', 'command events'], results)}`);
for (const model of Object.values(ways)) await model.db.close();
await database.stop();
