import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import process from 'node:process';

const SHOWN = 10;
/** Suites below it are over before their order matters. */
const RECORDED_FROM_SECONDS = 5;

/**
 * Prints the slowest suites of a run. With TEST_RECORD_SECONDS=1 it also writes the record by which a fresh clone orders its suites
 * (build/jest-slow-first.mjs); to be done with a run of all suites on a quiet machine.
 */
export default class SlowestSuitesReporter {
  constructor({ rootDir }) {
    this.rootDir = rootDir;
  }

  onRunComplete(_contexts, { testResults }) {
    const suites = testResults
      .filter(({ skipped, perfStats }) => !skipped && perfStats.end > 0)
      .map(({ testFilePath, perfStats }) => ({
        path: relative(this.rootDir, testFilePath),
        seconds: (perfStats.end - perfStats.start) / 1000,
      }))
      .sort((a, b) => b.seconds - a.seconds);
    if (process.env.TEST_RECORD_SECONDS === '1') this.#record(suites);
    if (suites.length <= 1) return;
    const lines = suites.slice(0, SHOWN).map(({ path, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${path}`);
    // Jest prints its own summary after all reporters, and the closing line comes after it.
    process.once('exit', () => console.log(['Slowest suites:', ...lines].join('\n')));
  }

  #record(suites) {
    const slow = suites.filter(({ seconds }) => seconds >= RECORDED_FROM_SECONDS);
    const record = Object.fromEntries(slow.map(({ path, seconds }) => [path, Math.round(seconds)]));
    writeFileSync(new URL('./suite-seconds.json', import.meta.url), `${JSON.stringify(record, null, 2)}\n`);
  }
}
