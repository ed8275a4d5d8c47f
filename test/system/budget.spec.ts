import { ChangeStreamService } from '../../src/database/change-stream.service.js';
import { ApiKeysRepository } from '../../src/modules/api-keys/api-keys.repository.js';
import { OrganizationEraser } from '../../src/modules/erasure/organization-eraser.js';
import { GameUpdater } from '../../src/modules/schedules/game-updater.js';
import { TeamsRepository } from '../../src/modules/teams/teams.repository.js';
import { KnownNetworks } from '../../src/modules/users/known-networks.js';
import { WebhookFeed } from '../../src/modules/webhooks/webhook-feed.js';
import { differences, type OperationBudget, readBudget, writeBudget } from '../support/budget/budget.js';
import { type Cost, measureCost } from '../support/budget/command-costs.js';
import { createBudgetLeague, type BudgetLeague } from '../support/budget/league.js';
import { budgetedOperations, type BudgetedOperation } from '../support/budget/operations.js';
import { InProcessServer } from '../support/in-process-server.js';

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
    // The server does all of these on its own, at any time.
    jest.spyOn(ApiKeysRepository.prototype, 'removePreviousSecrets').mockResolvedValue();
    jest.spyOn(WebhookFeed.prototype, 'dispatch').mockResolvedValue();
    jest.spyOn(OrganizationEraser.prototype, 'eraseMarked').mockResolvedValue([]);
    const teams = TeamsRepository.prototype as unknown as { removeLate(): void };
    jest.spyOn(teams, 'removeLate').mockReturnValue();
    jest.spyOn(GameUpdater.prototype, 'updateAll').mockResolvedValue();
    jest.spyOn(KnownNetworks.prototype, 'has').mockReturnValue(false);
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

  it('are budgeted for exactly the requests of the operation table', () => {
    expect(Object.keys(rewrites ? found : readBudget().operations)).toEqual(Object.keys(budgetedOperations));
  });

  async function measure(league: BudgetLeague, { send, status }: BudgetedOperation, turn: number): Promise<Cost> {
    return measureCost(application.connection, () => send(league, turn).expect(status));
  }
});
