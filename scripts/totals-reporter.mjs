/** Ends a jest run with the one line that CI reads: `N passed, N failed`. A suite that could not run counts as failed. */
export default class TotalsReporter {
  onRunComplete(_contexts, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    process.stdout.write(`${results.numPassedTests} passed, ${failed} failed\n`);
  }
}
