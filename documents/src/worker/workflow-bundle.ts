import type { WorkerOptions } from '@temporalio/worker';
import { installationFolder } from '../../../src/platform/host/installation-folder.js';

const BUNDLE = 'workflows.bundle.js';

/** The workflows of this build: bundled ahead of time, so that a worker starts without a compiler. */
export function workflowSource(): Pick<WorkerOptions, 'workflowBundle'> {
  return { workflowBundle: { codePath: `${installationFolder('dist/documents', BUNDLE)}/${BUNDLE}` } };
}
