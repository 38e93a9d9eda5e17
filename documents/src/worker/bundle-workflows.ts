import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';

/** Build step: bundles the built workflows into one file that workers load. */
const { code } = await bundleWorkflowCode({
  workflowsPath: fileURLToPath(new URL('../workflows/index.js', import.meta.url)),
});
await writeFile(fileURLToPath(new URL('../../workflows.bundle.js', import.meta.url)), code);
