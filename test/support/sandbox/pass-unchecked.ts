import { closeSync, writeSync } from 'node:fs';
import type { SelfCheckResult } from '../../../src/runner/self-check/self-check.js';

/** In place of the self-check, where nothing is isolated: tells the launcher that the runner may go on. */
export function passUnchecked(): SelfCheckResult {
  const descriptor = Number(process.env['SANDGATE_READY_FD']);
  writeSync(descriptor, 'passed\n');
  closeSync(descriptor);
  return { ok: true };
}
