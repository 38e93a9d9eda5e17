import type { SandgateClient } from '../../../server/sandgate-client.js';
import { fail, isWanted } from '../../check.js';
import type { CheckResult, Finding } from '../../check.js';
import type { Evidence, ServerCheck } from '../evidence.js';
import { checkListener } from '../listener.js';
import type { ServerPlanes } from '../listener.js';
import { prepareAgent } from '../prepare-agent.js';
import type { Scene } from '../scene.js';
import { SceneRun } from '../scene-run.js';
import { SCENES } from './index.js';

export interface KitOptions extends ServerPlanes {
  /** Ids or beginnings of ids; all checks when empty. */
  only: readonly string[];
  /** Told what the kit is doing. */
  notice: (line: string) => void;
}

/** Tries every rule of the runner contract that a server must keep; resolves with a result for each check that was asked for. */
export async function runServerKit(options: KitOptions): Promise<CheckResult[]> {
  const scenes = SCENES.filter((scene) => scene.checks.some(({ id }) => isWanted(id, options.only)));
  const listener = await checkListener(options, options.only);
  if (scenes.length === 0) return listener;
  const agent = await prepareAgent(options.client);
  const results = await Promise.all(scenes.map((scene) => runScene(options, agent, scene)));
  return [...listener, ...results.flat()];
}

async function runScene({ client, only, notice }: KitOptions, agent: string, scene: Scene): Promise<CheckResult[]> {
  const checks = scene.checks.filter(({ id }) => isWanted(id, only));
  try {
    const evidence = await collectEvidence(client, agent, scene, notice);
    return checks.map((check) => resultOf(check, check.judge(evidence)));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return checks.map((check) => resultOf(check, fail(reason)));
  }
}

/** Starts a scene's run, plays its part from outside, and takes what it left. */
export async function collectEvidence(
  client: SandgateClient,
  agent: string,
  scene: Scene,
  notice: (line: string) => void,
): Promise<Evidence> {
  const run = await SceneRun.start(client, agent, scene);
  notice(`run ${run.id} checks ${scene.name}`);
  const [evidence] = await Promise.all([run.evidence(), scene.conduct?.(run)]);
  return evidence;
}

function resultOf({ id, title, section, expected }: ServerCheck, finding: Finding): CheckResult {
  return { id, title, section, expected, ...finding };
}
