import type request from 'supertest';
import { type Operation, operations, operationTable } from '../operations.js';
import type { SampleRequest } from '../sample-requests.js';
import { api } from '../organization.js';
import type { BudgetLeague } from './league.js';

/** An operation to measure. */
export interface BudgetedOperation {
  readonly status: number;
  /** The request; `turn` counts its repetitions, for operations that succeed only once. */
  readonly send: (league: BudgetLeague, turn: number) => request.Test;
}

/** Every public operation, some in several variants, and some admin operations, by their name in the budget. */
export const budgetedOperations: Readonly<Record<string, BudgetedOperation>> = Object.fromEntries(
  Object.entries(operationTable).flatMap(([id, row]) => {
    const operation = operations.find((one) => one.id === id);
    if (operation === undefined) throw new Error(`No document has the operation ${id}`);
    const { caller, method, path } = operation;
    const requests = row.budget ?? (caller === 'apiKey' ? { '': {} } : {});
    const name = `${method.toUpperCase()} ${path.replace(api, '')}`;
    return Object.entries(requests).map(([variant, own]): [string, BudgetedOperation] => [
      name + variant,
      budgeted(operation, { ...row, ...own }),
    ]);
  }),
);

function budgeted({ caller, method, path, success }: Operation, sample: SampleRequest): BudgetedOperation {
  const send: BudgetedOperation['send'] = (league, turn) => {
    const ids = { ...firstIdsOf(league), ...sample.ids?.(league, turn) };
    const route = path.replace(/\{(\w+)\}/g, (_, name: string) => String(ids[name]));
    const { organization } = league;
    const call =
      caller === 'apiKey'
        ? organization.call(method, route.slice(api.length))
        : organization.server.asSuperAdmin(method, route);
    return call
      .query(sample.query?.(league) ?? {})
      .set(sample.headers?.(turn) ?? {})
      .send(sample.body?.(league, turn));
  };
  return { status: sample.status ?? success, send };
}

function firstIdsOf({ season, team, players, schedules, endpoints, delivery }: BudgetLeague): Record<string, unknown> {
  const records = { teamId: team, playerId: players[0], scheduleId: schedules[0], id: endpoints[0] };
  return { ...records, seasonId: season, deliveryId: delivery, externalId: 'known-0' };
}
