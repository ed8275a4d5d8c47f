import { ChangeStreamService } from '../../src/database/change-stream.service.js';
import { WebhookQueueRepository } from '../../src/modules/webhooks/webhook-queue.repository.js';
import {
  type BudgetFile,
  differences,
  type OperationBudget,
  readBudget,
  writeBudget,
} from '../support/budget/budget.js';
import { type Cost, measureCost } from '../support/budget/command-costs.js';
import { createBudgetLeague, type BudgetLeague } from '../support/budget/league.js';
import { budgetedOperations, type BudgetedOperation } from '../support/budget/operations.js';
import { InProcessServer } from '../support/in-process-server.js';
import { operations } from '../support/operations.js';

/** Set by `npm run bench:budget`, which writes the file instead of comparing it. */
const rewrites = process.env['REWRITE_BUDGET'] === 'true';
/** Number of requests after which keys and records are cached. */
const sightings = 3;

describe('the commands, round trips and examined documents of an operation', () => {
  let application: InProcessServer;
  const found: Record<string, OperationBudget> = {};
  let mongod: string;

  beforeAll(async () => {
    application = await InProcessServer.start();
    const { connection } = application;
    const { version } = (await connection.db?.admin().serverInfo()) as { version: string };
    mongod = version.split('.').slice(0, 2).join('.');
    // The counts must not depend on the speed of the machine.
    jest.spyOn(ChangeStreamService.prototype, 'isCurrent').mockReturnValue(true);
    // The server adds deliveries on its own.
    jest.spyOn(WebhookQueueRepository.prototype, 'findSubscribers').mockResolvedValue([]);
  }, 60_000);

  afterAll(async () => {
    jest.restoreAllMocks();
    await application.stop();
    if (rewrites) writeBudget({ mongod, operations: found });
  });

  it.each(Object.entries(budgetedOperations))('match bench/budget.json: %s', async (name, operation) => {
    const database = application.connection.getClient().db(application.connection.name);
    const league = await createBudgetLeague(application.server, database);
    const firstSight = await measure(league, operation, 0);
    for (let turn = 1; turn < sightings; turn++) await operation.send(league, turn).expect(operation.status);
    found[name] = { firstSight, remembered: await measure(league, operation, sightings) };
    if (rewrites) return;
    expect(differences(readBudget(), name, found[name], mongod)).toEqual([]);
  });

  it('are budgeted for exactly the operations of the public API', () => {
    const documented = operations.filter(({ caller }) => caller === 'apiKey').map(({ id }) => id);
    const budgeted = Object.values(budgetedOperations).map(({ id }) => id);
    expect(documented.filter((id) => !budgeted.includes(id))).toEqual([]);
    expect(Object.keys(rewrites ? found : readBudget().operations)).toEqual(Object.keys(budgetedOperations));
  });

  async function measure(league: BudgetLeague, { send, status }: BudgetedOperation, turn: number): Promise<Cost> {
    return measureCost(application.connection, () => send(league, turn).expect(status));
  }
});

describe('a budget', () => {
  const cost = { commands: { find: 2 }, sequential: 2, keysExamined: 5, documentsExamined: 4 };
  const budget: BudgetFile = { mongod: '6.0', operations: { 'GET /x': { remembered: cost, firstSight: cost } } };
  const compared = (changed: Partial<Cost>, mongod = '6.0') =>
    differences(budget, 'GET /x', { remembered: { ...cost, ...changed }, firstSight: cost }, mongod);

  it('is met by equal costs', () => {
    expect(compared({})).toEqual([]);
  });

  it.each([
    ['one more command', { commands: { find: 3 } }, 'find may be 2 and is 3: it rose'],
    ['another command', { commands: { find: 2, insert: 1 } }, 'insert may be 0 and is 1: it rose'],
    ['one more round trip', { sequential: 3 }, 'sequential may be 2 and is 3: it rose'],
    ['one more key', { keysExamined: 6 }, 'keysExamined may be 5 and is 6: it rose'],
    ['one more document', { documentsExamined: 5 }, 'documentsExamined may be 4 and is 5: it rose'],
    ['one command less', { commands: {} }, 'find may be 2 and is 0: it fell, lower it by npm run bench:budget'],
    [
      'one document less',
      { documentsExamined: 3 },
      'documentsExamined may be 4 and is 3: it fell, lower it by npm run bench:budget',
    ],
  ])('is exceeded by %s, with a message', (_what, changed, said) => {
    expect(compared(changed)).toEqual([`GET /x, remembered: ${said}`]);
  });

  it('of examined documents applies to one MongoDB version, because others can choose other plans', () => {
    expect(compared({ documentsExamined: 5 }, '8.0')).toEqual([]);
    expect(compared({ sequential: 3 }, '8.0')).toHaveLength(1);
  });

  it('is reported as missing for a new operation', () => {
    expect(differences(budget, 'GET /y', { remembered: cost, firstSight: cost }, '6.0')).toHaveLength(1);
  });
});
