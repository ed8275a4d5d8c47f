import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Cost } from './command-costs.js';

/** The allowed cost of an operation: with warm caches, and on first use of the key and records. */
export interface OperationBudget {
  readonly remembered: Cost;
  readonly firstSight: Cost;
}

type Budget = Readonly<Record<string, OperationBudget>>;

export interface BudgetFile {
  /** The database version of the figures: another one may plan queries differently. */
  readonly mongod: string;
  readonly operations: Budget;
}

const file = path.resolve(__dirname, '../../../bench/budget.json');

/** Reads bench/budget.json. */
export function readBudget(): BudgetFile {
  return JSON.parse(readFileSync(file, 'utf8')) as BudgetFile;
}

/** Writes bench/budget.json. */
export function writeBudget(budget: BudgetFile): void {
  writeFileSync(file, `${JSON.stringify(budget, null, 2)}\n`);
}

/** Figures that depend on the query planner. */
const databasesOwn = ['keysExamined', 'documentsExamined'];

/**
 * Describes where costs differ from the budget, upwards or downwards, so that an improvement is not lost unnoticed.
 * @param mongod the database version that was measured; with another one than the file's only commands are compared
 */
export function differences(
  { mongod: counted, operations }: BudgetFile,
  operation: string,
  found: OperationBudget,
  mongod: string,
): string[] {
  const allowed = operations[operation];
  if (allowed === undefined) return [`${operation} has no budget: npm run bench:budget`];
  return (['remembered', 'firstSight'] as const).flatMap((state) => {
    const [may, is] = [figuresOf(allowed[state]), figuresOf(found[state])];
    const names = [...new Set([...may.keys(), ...is.keys()])].filter(
      (figure) => mongod === counted || !databasesOwn.includes(figure),
    );
    return names.flatMap((figure) => {
      const [limit, count] = [may.get(figure) ?? 0, is.get(figure) ?? 0];
      // Random IDs of a bulk request can be next to each other in an index, which saves a key.
      if (databasesOwn.includes(figure) && Math.abs(count - limit) <= Math.floor(limit * 0.03)) return [];
      const what = `${operation}, ${state}: ${figure} may be ${limit} and is ${count}`;
      if (count > limit) return [`${what}: it rose`];
      return count < limit ? [`${what}: it fell, lower it by npm run bench:budget`] : [];
    });
  });
}

function figuresOf({ commands, ...counts }: Cost): Map<string, number> {
  return new Map([...Object.entries(commands), ...Object.entries(counts)]);
}
