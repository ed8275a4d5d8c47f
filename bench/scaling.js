import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  connectionsTable,
  databaseTable,
  deploymentsTable,
  inputsTable,
  operationsTable,
  redisTable,
  stepsTable,
} from './scaling/computed-tables.js';
import { meanRequest, oneReplica } from './scaling/capacity.js';
import { readInputs } from './scaling/inputs.js';
import { fillPage } from './scaling/page.js';
import {
  backgroundRows,
  remembered,
  replicaCounts,
  simulateKeys,
  simulateLimits,
  simulateRestart,
  simulateRules,
} from './scaling/simulate.js';
import { keysTable, limitsTable, restartTable, rulesTable } from './scaling/simulated-tables.js';

/**
 * `npm run bench:scaling`: what one server, one replica set and a sharded cluster carry, from what was measured of one server, and a
 * simulation of limits, remembered keys and restarts over 1 to 50 servers behind a balancer. It takes virtual time and a seed, so
 * it gives the same each time; under a minute. Rewrites the tables of docs/scaling.md; with `-- --print` it only prints them.
 */
const page = path.resolve(import.meta.dirname, '../docs/scaling.md');

async function tables() {
  const inputs = await readInputs();
  const mean = meanRequest(inputs);
  const { planned } = oneReplica(mean, inputs.assumed);
  const context = { ...inputs, mean, planned };
  const { measured, assumed } = inputs;
  return {
    inputs: inputsTable(inputs),
    operations: operationsTable(context),
    deployments: deploymentsTable(context),
    steps: stepsTable(context),
    limits: limitsTable(await simulateLimits()),
    redis: redisTable(context, replicaCounts),
    keys: keysTable(await simulateKeys(assumed), measured, remembered),
    rules: rulesTable(simulateRules(assumed), measured, assumed),
    restart: restartTable(await simulateRestart(context)),
    database: databaseTable(backgroundRows(context)),
    connections: connectionsTable(context),
  };
}

const parts = await tables();
for (const [name, part] of Object.entries(parts)) console.log(`${name}\n\n${part}\n`);
if (!process.argv.includes('--print')) await writeFile(page, await fillPage(page, await readFile(page, 'utf8'), parts));
