/**
 * Prints at the end of a jest run the line that CI reads: `N passed, N failed`. A suite that could not run counts as failed.
 * Written as the process exits, because jest prints its own summary after every reporter.
 */
export default class TotalsReporter {
  onRunComplete(_contexts, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    process.once('exit', () => process.stdout.write(`${results.numPassedTests} passed, ${failed} failed\n`));
  }
}
