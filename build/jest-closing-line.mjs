import { writeFileSync } from 'node:fs';
import process from 'node:process';

/** Names a file to which the paths of failed suites are written, as JSON. */
const FAILED_SUITES = process.env.TEST_FAILED_SUITES;

/** Ends a test run with one plain line, and fails a run in which nothing ran. */
export default class ClosingLineReporter {
  onRunComplete(_contexts, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    this.nothingRan = results.numPassedTests + failed === 0;
    const skipped = results.numPendingTests + results.numTodoTests;
    const line = `${results.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
    if (FAILED_SUITES !== undefined) {
      const suites = results.testResults.filter((suite) => suite.numFailingTests > 0 || suite.testExecError != null);
      writeFileSync(FAILED_SUITES, JSON.stringify(suites.map(({ testFilePath }) => testFilePath)));
    }
    // Jest prints its own summary after all reporters.
    process.once('exit', () => console.log(line));
  }

  getLastError() {
    return this.nothingRan ? new Error('No test ran.') : undefined;
  }
}
