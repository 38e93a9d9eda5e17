import { join } from 'node:path';

/** Where this host keeps the pristine git folders of its runs, out of reach of every sandbox. */
export function baselineRoot(dataDir: string): string {
  return join(dataDir, 'baselines');
}

/** The pristine git folder of one run. */
export function baselineFolder(dataDir: string, runId: string): string {
  return join(baselineRoot(dataDir), `${runId}.git`);
}
