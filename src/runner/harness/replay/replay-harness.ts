import { setTimeout as sleep } from 'node:timers/promises';
import { InvalidToolInputError } from '../../tools/input-shape.js';
import { callByName, toolCall } from '../governed-call.js';
import { performProbe } from './perform-probe.js';
import type { GovernedOutcome } from '../governed-call.js';
import type { Observation } from '../../probe/contract-probe.js';
import type { Harness, HarnessContext, HarnessResult } from '../harness.js';
import { parseReplayScript, ReplayScriptError } from './replay-script.js';
import type { ReplayStep } from './replay-script.js';

const OPENING = 'This run is scripted: the steps of its task are performed in order, without any model call.';

interface Tally {
  executed: number;
  denied: number;
  withheldDeployment: boolean;
  observations: Observation[];
}

/**
 * Performs the steps of the run's task (docs/design/runner.md): the real contract and real execution without a model. Ids are
 * `rp_001`, `rp_002`, … in the order of the calls, so a restarted runner presents the same calls again (CP-150).
 */
export const replayHarness: Harness = {
  run: async (context) => {
    await context.narrator.say('harness', OPENING);
    const script = readScript(context.settings.task);
    if (typeof script === 'string') return { outcome: 'failed', summary: script };
    const tally: Tally = { executed: 0, denied: 0, withheldDeployment: false, observations: [] };
    let calls = 0;
    for (const [index, step] of script.entries()) {
      if (index > 0) await sleep(context.settings.replayDelayMs, undefined, { signal: context.signal });
      if (step.kind === 'call') calls += 1;
      await perform(context, step, `rp_${String(calls).padStart(3, '0')}`, tally);
    }
    return summarize(tally);
  },
};

function readScript(task: string): ReplayStep[] | string {
  try {
    return parseReplayScript(task);
  } catch (error) {
    if (error instanceof ReplayScriptError) return error.message;
    throw error;
  }
}

async function perform(context: HarnessContext, step: ReplayStep, id: string, tally: Tally): Promise<void> {
  if (step.kind === 'say') {
    await context.narrator.say('agent', step.text);
    return;
  }
  if (step.kind === 'probe') return performProbe(context, step.items, tally.observations);
  const outcome = await callChecked(context, step, id);
  switch (outcome.kind) {
    case 'executed':
      tally.executed += 1;
      return;
    case 'denied':
      tally.denied += 1;
      tally.withheldDeployment ||= JSON.stringify(step.input).includes('deploy');
      await context.narrator.say('agent', step.onDenySay ?? `${step.tool} denied: ${outcome.message}`);
      return;
    case 'not_available':
      await context.narrator.say('harness', outcome.message);
  }
}

async function callChecked(
  context: HarnessContext,
  step: Extract<ReplayStep, { kind: 'call' }>,
  id: string,
): Promise<GovernedOutcome> {
  try {
    return await callByName(context, toolCall(id, step.tool, step.input), step.timeoutMs ?? undefined);
  } catch (error) {
    // A script may hold a call that no tool understands; like a model's, it is answered and never asked.
    if (error instanceof InvalidToolInputError)
      return { kind: 'not_available', message: `${step.tool}: ${error.message}` };
    throw error;
  }
}

function summarize({ executed, denied, withheldDeployment }: Tally): HarnessResult {
  const note = withheldDeployment ? ' The deployment was withheld.' : '';
  return { outcome: 'completed', summary: `Replay finished: ${executed} executed, ${denied} denied.${note}` };
}
