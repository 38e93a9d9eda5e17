import type { Observation } from '../../probe/contract-probe.js';
import type { ProbeItem } from '../../probe/probe-step.js';
import { writeText } from '../../tools/file-text.js';
import type { HarnessContext } from '../harness.js';

/** Where the observations of a run's probes stand, one JSON document a line; whoever started the run finds them in its diff. */
const OBSERVATIONS_FILE = 'conformance.jsonl';

/**
 * Performs a probe step. A file of the workspace is how its findings leave the sandbox: the diff is taken from outside, so it
 * arrives also when the probe has used up the run's tokens or has reported its result already. A directive to stop does not
 * end it: some probes exist to see how the server answers then, and the runner grants no more than its usual two seconds.
 */
export async function performProbe(
  context: HarnessContext,
  items: readonly ProbeItem[],
  observations: Observation[],
): Promise<void> {
  let written: Promise<unknown> = Promise.resolve();
  await context.probe(items, (observation) => {
    observations.push(observation);
    const lines = observations.map((line) => `${JSON.stringify(line)}\n`).join('');
    written = written.then(() => writeText(context.tools.workspace, OBSERVATIONS_FILE, lines));
    return written.then(() => undefined);
  });
  context.log(`${observations.length} observations of probes`);
}
