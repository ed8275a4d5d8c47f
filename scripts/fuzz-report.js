/**
 * What speaks against a run of Schemathesis; nothing where all is well. A run that tried nothing, ended early, or never
 * came past the refusals of an operation is not well.
 *
 * @param report its JSON report
 * @param {number} operations how many operations were to be tried
 * @param {readonly string[]} rightOnce those that have to succeed at least once, as the report names them (`GET /teams`)
 * @returns {string[]} a sentence for each fault
 */
export function faultsOf(report, operations, rightOnce) {
  const { generated, unique_failures: failures, errored } = report.test_cases;
  const successes = (operation) =>
    Object.values(report.valid_rates[operation] ?? {}).reduce((sum, phase) => sum + phase.accepted, 0);
  const faults = [
    [!report.complete, `The run ended early: ${report.stop_reason}`],
    [report.exit_code !== 0, `The run ended with ${report.exit_code}`],
    [!(generated > 0), 'No case was tried'],
    [failures !== 0, `Faults found: ${failures}`],
    [
      errored !== 0 || report.errors.length > 0,
      `Cases that could not be tried: ${Math.max(errored, report.errors.length)}`,
    ],
    [
      operations === 0 || report.operations.tested !== operations,
      `Operations tried: ${report.operations.tested} of ${operations}`,
    ],
    ...Object.entries(report.phases).map(([name, { status }]) => [
      status !== 'success',
      `The phase ${name} ended with ${status}`,
    ]),
    ...rightOnce.map((operation) => [successes(operation) === 0, `${operation} never succeeded`]),
  ];
  return faults.filter(([isFault]) => isFault).map(([, fault]) => fault);
}
