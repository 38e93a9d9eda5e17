import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { WorkerOptions } from '@temporalio/worker';

/** Where the build puts the bundle, seen from the built worker (dist/src/worker). */
const BUILT_BUNDLE = fileURLToPath(new URL('../../workflows.bundle.js', import.meta.url));

/** The workflows of this build: bundled ahead of time, so that a worker starts without a compiler. */
export function workflowSource(): Pick<WorkerOptions, 'workflowBundle'> {
  if (!existsSync(BUILT_BUNDLE)) throw new Error(`${BUILT_BUNDLE} is missing; run: npm run build`);
  return { workflowBundle: { codePath: BUILT_BUNDLE } };
}
