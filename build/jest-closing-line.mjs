/** Ends a test run with one plain line, and fails a run in which nothing ran. */
export default class ClosingLineReporter {
  onRunComplete(_contexts, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    this.nothingRan = results.numPassedTests + failed === 0;
    const skipped = results.numPendingTests + results.numTodoTests;
    console.log(`${results.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  }

  getLastError() {
    return this.nothingRan ? new Error('No test ran.') : undefined;
  }
}
