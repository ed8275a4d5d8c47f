import { readFile } from 'node:fs/promises';
import path from 'node:path';

const here = import.meta.dirname;
const performanceFile = path.resolve(here, '../../docs/performance.json');
const readJson = async (file) => JSON.parse(await readFile(file, 'utf8'));

/**
 * What everything is computed from: `operations` (processor seconds of server and mongod for each 1,000 requests) of the last whole
 * `npm run bench`, `measured` of `npm run bench:scaling:measure`, and what is `assumed`.
 */
export async function readInputs() {
  const [bench, measured, assumed] = await Promise.all([
    readBench(),
    readJson(path.join(here, 'measured.json')),
    readJson(path.join(here, 'assumed.json')),
  ]);
  const unknown = Object.keys(assumed.mix).filter((label) => bench.operations[label] === undefined);
  if (unknown.length > 0) throw new Error(`The bench has not measured ${unknown.join(', ')}`);
  return { ...bench, measured, assumed };
}

async function readBench() {
  const { machine, outcomes } = await readJson(performanceFile);
  const figures = outcomes.map(({ label, medians: { ours } }) => [label, { server: ours.server, mongod: ours.mongod }]);
  const source = `docs/performance.json (${machine.processor}, Node ${machine.node}, mongod ${machine.mongod})`;
  return { source, operations: Object.fromEntries(figures) };
}
