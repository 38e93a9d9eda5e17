import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import Sequencer from '@jest/test-sequencer';

/** Seconds of the suites that take longest, written by build/jest-slowest-suites.mjs. */
const RECORDED = JSON.parse(readFileSync(new URL('./suite-seconds.json', import.meta.url), 'utf8'));
/** Of an end-to-end suite that nobody has timed yet: it starts an installation, or a worker with its sandboxes. */
const UNKNOWN_MS = { e2e: 60_000, 'documents-e2e': 40_000 };

/** The slowest suites first, so that no worker is left alone with one at the end. What this machine has measured counts before the record. */
export default class SlowFirst extends Sequencer {
  time(test) {
    const { displayName, rootDir } = test.context.config;
    const seconds = RECORDED[relative(rootDir, test.path)];
    return super.time(test) ?? (seconds === undefined ? (UNKNOWN_MS[displayName?.name] ?? 0) : seconds * 1000);
  }
}
