import { differences, type OperationBudget, readBudget, writeBudget } from '../support/budget/budget.js';
import { clearPlans, type Cost, measureCost } from '../support/budget/command-costs.js';
import { createBudgetLeague, type BudgetLeague } from '../support/budget/league.js';
import { budgetedOperations, type BudgetedOperation } from '../support/budget/operations.js';
import { stopOwnWork } from '../support/budget/own-work.js';
import { InProcessServer } from '../support/in-process-server.js';

/** Set by `npm run bench:budget`, which writes the file instead of comparing it. */
const rewrites = process.env['REWRITE_BUDGET'] === 'true';
/** Number of requests after which keys and records are cached. */
const sightings = 3;

// On a busy machine the change stream can be late, so that what is cached is read once more.
jest.retryTimes(2, { logErrorsBeforeRetry: true });

describe('the commands, round trips and examined documents of an operation', () => {
  let application: InProcessServer;
  const found: Record<string, OperationBudget> = {};
  let mongod: string;

  beforeAll(async () => {
    application = await InProcessServer.start();
    const { connection } = application;
    const { version } = (await connection.db?.admin().serverInfo()) as { version: string };
    mongod = version.split('.').slice(0, 2).join('.');
    stopOwnWork();
  }, 60_000);

  afterAll(async () => {
    jest.restoreAllMocks();
    await application.stop();
    if (rewrites) writeBudget({ mongod, operations: found });
  });

  it.each(Object.entries(budgetedOperations))('match bench/budget.json: %s', async (name, operation) => {
    const database = application.connection.getClient().db(application.connection.name);
    const league = await createBudgetLeague(application.server, database);
    await clearPlans(database);
    const firstSight = await measure(league, operation, 0);
    for (let turn = 1; turn < sightings; turn++) await operation.send(league, turn).expect(operation.status);
    found[name] = { firstSight, remembered: await measure(league, operation, sightings) };
    if (rewrites) return;
    expect(differences(readBudget(), name, found[name], mongod)).toEqual([]);
  });

  it('are budgeted for exactly the requests of the operation table', () => {
    expect(Object.keys(rewrites ? found : readBudget().operations)).toEqual(Object.keys(budgetedOperations));
  });

  async function measure(league: BudgetLeague, { send, status }: BudgetedOperation, turn: number): Promise<Cost> {
    return measureCost(application.connection, () => send(league, turn).expect(status));
  }
});
