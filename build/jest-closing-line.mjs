/** Ends a test run with one plain line, and fails a run in which nothing ran. */
export default class ClosingLineReporter {
  onRunComplete(_contexts, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    this.nothingRan = results.numPassedTests + failed === 0;
    const skipped = results.numPendingTests + results.numTodoTests;
    const line = `${results.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
    // Jest prints its own summary after all reporters.
    process.once('exit', () => console.log(line));
  }

  getLastError() {
    return this.nothingRan ? new Error('No test ran.') : undefined;
  }
}
