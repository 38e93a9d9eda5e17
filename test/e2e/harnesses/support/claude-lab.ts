import { byConversation, reply } from '../../../../src/cli/demo/wire/model-script.js';
import type { ModelScript, ScriptedAnswer } from '../../../../src/cli/demo/wire/model-script.js';
import { startScriptedModel, type ScriptedModel } from '../../../../src/cli/demo/scripted-model.js';
import { isJsonObject, type JsonObject } from '../../../../src/domain/json.js';
import { provideHarness } from '../../../../src/embedded/harness-programs.js';
import { LiveStack } from '../../../support/installation/live-stack.js';
import { HarnessLab } from './harness-lab.js';

export const PROVIDER_KEY = 'the-key-of-the-scripted-model';
/** Claude Code appends words of its own to what a tool said. */
const REMINDERS = /<system-reminder>[^]*?<\/system-reminder>/g;
const MARK = /task-[a-z0-9-]+/;

/** Everything is allowed but what the tests want denied. */
export const TRIES = `name: tries
defaults: { tool_action: allow }
tools:
  - match: [Write, Edit]
    action: allow
    paths: { deny: ["**/forbidden*"] }
  - match: [Bash]
    action: allow
    shell: { deny_regex: ['forbidden'], on_no_match: allow }
  - match: ["mcp__kb__count"]
    action: deny
`;

/** Every command waits for a human. */
const ASKS = `name: asks
defaults: { tool_action: allow }
approvals: { default_ttl_secs: 300 }
tools: [{ match: [Bash], action: approve }]
`;

/** One installation with Claude Code in it, and a scripted provider that plays a script for each task by its mark `task-<name>`. */
export class ClaudeLab extends HarnessLab<ScriptedAnswer[] | ModelScript, ToolResult> {
  private constructor(
    stack: LiveStack,
    readonly model: ScriptedModel,
  ) {
    super(stack, () => model.close(), 'claude');
  }

  static async start(env: NodeJS.ProcessEnv = {}): Promise<ClaudeLab> {
    let lab: ClaudeLab | null = null;
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
    lab = new ClaudeLab(stack, model);
    try {
      await provideHarness(stack.dataDir, 'claude-agent-sdk');
      await stack.json('POST', '/v1/policies', { name: 'tries', yaml: TRIES });
      await stack.json('POST', '/v1/policies', { name: 'asks', yaml: ASKS });
      await lab.createAgent('claude');
      await lab.createAgent('asker', { policy: 'asks' });
      return lab;
    } catch (error) {
      await lab.stop();
      throw error;
    }
  }

  createAgent(name: string, more: object = {}): Promise<unknown> {
    return this.stack.json('POST', '/v1/agents', { name, harness: 'claude-agent-sdk', policy: 'tries', ...more });
  }

  requestsOf(mark: string): JsonObject[] {
    return this.model.requests.map(({ body }) => body).filter((body) => markOf(body) === `task-${mark}`);
  }

  /** What the model was told of its tool uses, by their ids. */
  resultsOf(mark: string): Record<string, ToolResult> {
    return Object.fromEntries(toolResultsOf(this.requestsOf(mark).at(-1) ?? {}));
  }
}

export interface ToolResult {
  text: string;
  isError: boolean;
}

/** One tool use of the scripted model. */
export function use(id: string, tool: string, input: JsonObject): ScriptedAnswer {
  return reply({ tool, input, id: `toolu_${id}` });
}

export const bash = (id: string, command: string): ScriptedAnswer => use(id, 'Bash', { command, description: 'a try' });
export const done = reply({ text: 'Done.' });

/** The results of tool uses in a request of the Messages format, by their ids, in their order. */
export function toolResultsOf(body: JsonObject): [id: string, result: ToolResult][] {
  const results = blocksOf(body).filter((block) => block['type'] === 'tool_result');
  return results.map((block) => [
    textOf(block['tool_use_id']),
    { text: textOf(block['content']).replace(REMINDERS, '').trim(), isError: block['is_error'] === true },
  ]);
}

export function markOf(body: JsonObject): string {
  const [first] = Array.isArray(body['messages']) ? body['messages'] : [];
  return MARK.exec(JSON.stringify(first ?? null))?.[0] ?? '';
}

function blocksOf(body: JsonObject): JsonObject[] {
  const messages = Array.isArray(body['messages']) ? body['messages'] : [];
  return messages.flatMap((message) => {
    const content = isJsonObject(message) ? message['content'] : undefined;
    return Array.isArray(content) ? content.filter((block) => isJsonObject(block)) : [];
  });
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return JSON.stringify(content ?? '');
  return content.map((block: unknown) => (isJsonObject(block) ? textOf(block['text'] ?? '') : '')).join('\n');
}
