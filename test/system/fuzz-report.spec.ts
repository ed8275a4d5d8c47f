import path from 'node:path';

interface Rate {
  accepted: number;
}

/** What stands in a report of Schemathesis, as far as it is judged. */
const sound = {
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

type FaultsOf = (report: typeof sound, operations: number, rightOnce: readonly string[]) => string[];

describe('a run of Schemathesis', () => {
  let faultsOf: FaultsOf;

  beforeAll(async () => {
    const program = path.resolve(__dirname, '../../scripts/fuzz-report.js');
    ({ faultsOf } = (await import(program)) as { faultsOf: FaultsOf });
  });

  it('is well where it tried every operation, found nothing, and each that can succeed did', () => {
    expect(faultsOf(sound, 2, ['GET /teams'])).toEqual([]);
  });

  it.each<[string, Partial<typeof sound>]>([
    ['No case was tried', { test_cases: { ...sound.test_cases, generated: 0 } }],
    ['Faults found: 3', { test_cases: { ...sound.test_cases, unique_failures: 3 } }],
    ['Cases that could not be tried: 1', { test_cases: { ...sound.test_cases, errored: 1 } }],
    ['Cases that could not be tried: 2', { errors: [{}, {}] }],
    ['Operations tried: 1 of 2', { operations: { tested: 1 } }],
    ['The phase fuzzing ended with skip', { phases: { ...sound.phases, fuzzing: { status: 'skip' } } }],
    ['The run ended early: interrupted', { complete: false, stop_reason: 'interrupted' }],
    ['The run ended with 1', { exit_code: 1 }],
    ['GET /teams never succeeded', { valid_rates: { 'GET /teams': { fuzzing: { accepted: 0 } } } }],
    ['GET /teams never succeeded', { valid_rates: {} }],
  ])('is not well: %s', (fault, change) => {
    expect(faultsOf({ ...sound, ...change }, 2, ['GET /teams'])).toEqual([fault]);
  });

  it('is not well where the document has no operations', () => {
    const none = { ...sound, operations: { tested: 0 }, valid_rates: {} };
    expect(faultsOf(none, 0, [])).toEqual(['Operations tried: 0 of 0']);
  });
});
