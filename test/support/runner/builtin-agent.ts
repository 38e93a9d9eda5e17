import { inOrder, type ModelScript, type ScriptedAnswer } from '../../../src/cli/demo/wire/model-script.js';
import { startScriptedModel, type ScriptedModel } from '../../../src/cli/demo/scripted-model.js';
import { startRun, type TestRun } from './runner-run.js';
import { ScriptedPlane, type ScriptedPlaneOptions } from '../plane/scripted-plane.js';

export interface BuiltinAgent {
  model: ScriptedModel;
  plane: ScriptedPlane;
  run: TestRun;
}

/** Everything that {@link startAgent} opened and nobody closed yet. */
const open: { close(): Promise<void> }[] = [];

/** The built-in harness in this process, against a scripted plane that forwards its model requests to a scripted provider. */
export async function startAgent(
  script: ScriptedAnswer[] | ModelScript,
  options: ScriptedPlaneOptions = {},
  variables: Record<string, string> = {},
): Promise<BuiltinAgent> {
  const model = await startScriptedModel({
    script: typeof script === 'function' ? script : inOrder(script),
    apiKey: 'upstream-key',
  });
  open.push(model);
  const plane = await ScriptedPlane.start({ modelUrl: model.url, ...options });
  open.push({ close: () => plane.stop() });
  const run = await startRun(plane, { SERVICE_HARNESS: 'builtin', SERVICE_TASK: 'Fix the sum.', ...variables });
  open.push({ close: run.cleanUp });
  return { model, plane, run };
}

export async function closeAgents(): Promise<void> {
  for (const one of open.splice(0).reverse()) await one.close();
}
