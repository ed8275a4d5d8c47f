import path from 'node:path';

interface Rate {
  accepted: number;
}

/** The evaluated parts of a report of Schemathesis. */
const successful = {
  complete: true,
  stop_reason: 'completed',
  exit_code: 0,
  operations: { tested: 2 },
  phases: { examples: { status: 'success' }, fuzzing: { status: 'success' } },
  test_cases: { generated: 12, unique_failures: 0, errored: 0 },
  errors: [] as unknown[],
  valid_rates: { 'GET /teams': { examples: { accepted: 0 }, fuzzing: { accepted: 3 } } } as Record<
    string,
    Record<string, Rate>
  >,
};

type ProblemsOf = (report: typeof successful, operations: number, mustSucceed: readonly string[]) => string[];

describe('a run of Schemathesis', () => {
  let problemsOf: ProblemsOf;

  beforeAll(async () => {
    const program = path.resolve(__dirname, '../../scripts/fuzz-report.js');
    ({ problemsOf } = (await import(program)) as { problemsOf: ProblemsOf });
  });

  it('passes if every operation was tested, nothing failed and each operation succeeded', () => {
    expect(problemsOf(successful, 2, ['GET /teams'])).toEqual([]);
  });

  it.each<[string, Partial<typeof successful>]>([
    ['No cases were run', { test_cases: { ...successful.test_cases, generated: 0 } }],
    ['Failures: 3', { test_cases: { ...successful.test_cases, unique_failures: 3 } }],
    ['Cases that could not be run: 1', { test_cases: { ...successful.test_cases, errored: 1 } }],
    ['Cases that could not be run: 2', { errors: [{}, {}] }],
    ['Operations tested: 1 of 2', { operations: { tested: 1 } }],
    ['The phase fuzzing ended with skip', { phases: { ...successful.phases, fuzzing: { status: 'skip' } } }],
    ['The run ended early: interrupted', { complete: false, stop_reason: 'interrupted' }],
    ['The run ended with 1', { exit_code: 1 }],
    ['GET /teams never succeeded', { valid_rates: { 'GET /teams': { fuzzing: { accepted: 0 } } } }],
    ['GET /teams never succeeded', { valid_rates: {} }],
  ])('fails: %s', (problem, change) => {
    expect(problemsOf({ ...successful, ...change }, 2, ['GET /teams'])).toEqual([problem]);
  });

  it('fails if the document has no operations', () => {
    const none = { ...successful, operations: { tested: 0 }, valid_rates: {} };
    expect(problemsOf(none, 0, [])).toEqual(['Operations tested: 0 of 0']);
  });
});
