/**
 * Returns the problems of a run of Schemathesis. A run also fails if it tried nothing, ended early, or if an operation
 * never succeeded.
 *
 * @param report its JSON report
 * @param {number} operations number of operations in the document
 * @param {readonly string[]} mustSucceed operations that must succeed at least once, as the report names them (`GET
 * /teams`)
 * @returns {string[]} a sentence for each problem
 */
export function problemsOf(report, operations, mustSucceed) {
  const { generated, unique_failures: failures, errored } = report.test_cases;
  const successes = (operation) =>
    Object.values(report.valid_rates[operation] ?? {}).reduce((sum, phase) => sum + phase.accepted, 0);
  const problems = [
    [!report.complete, `The run ended early: ${report.stop_reason}`],
    [report.exit_code !== 0, `The run ended with ${report.exit_code}`],
    [!(generated > 0), 'No cases were run'],
    [failures !== 0, `Failures: ${failures}`],
    [
      errored !== 0 || report.errors.length > 0,
      `Cases that could not be run: ${Math.max(errored, report.errors.length)}`,
    ],
    [
      operations === 0 || report.operations.tested !== operations,
      `Operations tested: ${report.operations.tested} of ${operations}`,
    ],
    ...Object.entries(report.phases).map(([name, { status }]) => [
      status !== 'success',
      `The phase ${name} ended with ${status}`,
    ]),
    ...mustSucceed.map((operation) => [successes(operation) === 0, `${operation} never succeeded`]),
  ];
  return problems.filter(([isProblem]) => isProblem).map(([, problem]) => problem);
}
