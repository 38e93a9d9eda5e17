import { byConversation, type ModelScript, type ScriptedAnswer } from '../../../../src/cli/demo/wire/model-script.js';
import { startScriptedModel, type ScriptedModel } from '../../../../src/cli/demo/scripted-model.js';
import type { JsonObject } from '../../../../src/domain/json.js';
import { LiveStack } from '../../../support/installation/live-stack.js';
import { markOf, PROVIDER_KEY, toolResultsOf, TRIES, type ToolResult } from './claude-lab.js';
import { HarnessLab } from './harness-lab.js';

/** One installation whose agent is the built-in one, and a scripted provider that plays a script for each task by its mark. */
export class BuiltinLab extends HarnessLab<ScriptedAnswer[] | ModelScript, ToolResult> {
  private constructor(
    stack: LiveStack,
    private readonly model: ScriptedModel,
  ) {
    super(stack, () => model.close(), 'builtin');
  }

  static async start(env: NodeJS.ProcessEnv = {}): Promise<BuiltinLab> {
    let lab: BuiltinLab | null = null;
    const model = await startScriptedModel({
      apiKey: PROVIDER_KEY,
      script: (request) => {
        const script = lab?.scriptOf(markOf(request.body)) ?? [];
        return (typeof script === 'function' ? script : byConversation(script))(request);
      },
    });
    const stack = await LiveStack.start({
      SERVICE_LLM_ANTHROPIC_URL: model.url,
      ANTHROPIC_API_KEY: PROVIDER_KEY,
      ...env,
    });
    lab = new BuiltinLab(stack, model);
    await stack.json('POST', '/v1/policies', { name: 'tries', yaml: TRIES });
    await lab.createAgent('builtin');
    return lab;
  }

  createAgent(name: string, more: object = {}): Promise<unknown> {
    const agent = { name, harness: 'builtin', model: 'claude-haiku-4-5', policy: 'tries', ...more };
    return this.stack.json('POST', '/v1/agents', agent);
  }

  requestsOf(mark: string): JsonObject[] {
    return this.model.requests.map(({ body }) => body).filter((body) => markOf(body) === `task-${mark}`);
  }

  resultsOf(mark: string): Record<string, ToolResult> {
    return Object.fromEntries(toolResultsOf(this.requestsOf(mark).at(-1) ?? {}));
  }
}
