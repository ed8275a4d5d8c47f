import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Cost } from './command-costs.js';

/** What an operation may cost: in the steady state, and where the server sees key and records for the first time. */
export interface OperationBudget {
  readonly remembered: Cost;
  readonly firstSight: Cost;
}

export type Budget = Readonly<Record<string, OperationBudget>>;

export interface BudgetFile {
  /** The database's version at which keys and documents were counted: another one may come to the same answer otherwise. */
  readonly mongod: string;
  readonly operations: Budget;
}

const file = path.resolve(__dirname, '../../../bench/budget.json');

/** What is written in bench/budget.json. */
export function readBudget(): BudgetFile {
  return JSON.parse(readFileSync(file, 'utf8')) as BudgetFile;
}

/** Writes bench/budget.json anew. */
export function writeBudget(budget: BudgetFile): void {
  writeFileSync(file, `${JSON.stringify(budget, null, 2)}\n`);
}

/** What the database chose how to do, beside what it was sent. */
const databasesOwn = ['keysExamined', 'documentsExamined'];

/**
 * Where an operation's costs are not as the budget has them, in words: a figure that rose, and one that fell, so that what was
 * won is not lost again unseen.
 * @param mongod the version of the database that did it; of another one than the file's only the commands are compared
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
      const what = `${operation}, ${state}: ${figure} may be ${limit} and is ${count}`;
      if (count > limit) return [`${what}: it rose`];
      return count < limit ? [`${what}: it fell, lower it by npm run bench:budget`] : [];
    });
  });
}

function figuresOf({ commands, ...counts }: Cost): Map<string, number> {
  return new Map([...Object.entries(commands), ...Object.entries(counts)]);
}
