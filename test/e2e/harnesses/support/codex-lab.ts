import { isJsonObject, type JsonObject } from '../../../../src/domain/json.js';
import { provideHarness } from '../../../../src/embedded/harness-programs.js';
import { LiveStack } from '../../../support/installation/live-stack.js';
import { HarnessLab } from './harness-lab.js';
import { itemsOf, say, ScriptedResponses, turnsOf, type Answer, type Script } from './scripted-responses.js';

const MARK = /task-[a-z0-9-]+/;
export const MODEL = 'gpt-5.4-mini';
export const done: Answer = [say('Done.')];

/** Everything is allowed but what the tests want denied or asked. */
const POLICY = `name: tries
defaults: { tool_action: allow }
approvals: { default_ttl_secs: 120 }
tools:
  - match: [MultiEdit]
    action: allow
    paths: { allow: ["/workspace/**", "/home/agent/**"], deny: ["**/forbidden*", "/tmp/**", "/etc/**"] }
  - match: [Bash]
    action: allow
    shell:
      allow_prefixes: [sh, bash, node, touch, cat, ls, env, echo, printf, mkdir, cp, ln, find, grep, rm, sleep, 'true', cd, stat, id, wc]
      deny_regex: ['forbidden']
      on_no_match: approve
  - match: ["mcp__kb__count"]
    action: deny
`;

/** One installation with Codex in it, and a scripted provider that plays a script for each task by its mark `task-<name>`. */
export class CodexLab extends HarnessLab<Answer[] | Script, string> {
  private constructor(
    stack: LiveStack,
    readonly model: ScriptedResponses,
  ) {
    super(stack, () => model.close(), 'codex');
  }

  static async start(env: NodeJS.ProcessEnv = {}): Promise<CodexLab> {
    let lab: CodexLab | null = null;
    const model = await ScriptedResponses.start((body) => {
      const script = lab?.scriptOf(markOf(body)) ?? [];
      const turn = turnsOf(body);
      if (typeof script === 'function') return script(turn, body);
      return script[turn] ?? { status: 400, message: 'the script is over' };
    });
    const stack = await LiveStack.start({
      SERVICE_LLM_OPENAI_URL: model.url,
      OPENAI_API_KEY: 'sk-scripted',
      ...env,
    }).catch(async (error: unknown) => {
      await model.close();
      throw error;
    });
    lab = new CodexLab(stack, model);
    try {
      await provideHarness(stack.dataDir, 'codex');
      await stack.json('POST', '/v1/policies', { name: 'tries', yaml: POLICY });
      await lab.createAgent('codex');
      return lab;
    } catch (error) {
      await lab.stop();
      throw error;
    }
  }

  createAgent(name: string, more: object = {}): Promise<unknown> {
    return this.stack.json('POST', '/v1/agents', { name, harness: 'codex', model: MODEL, policy: 'tries', ...more });
  }

  requestsOf(mark: string): JsonObject[] {
    return this.model.requests.filter((body) => markOf(body) === `task-${mark}`);
  }

  /** What the model was told of its calls, by their ids. */
  resultsOf(mark: string): Record<string, string> {
    const results = itemsOf(this.requestsOf(mark).at(-1) ?? {}).filter((item) =>
      member(item, 'type').endsWith('_output'),
    );
    return Object.fromEntries(results.map((item) => [member(item, 'call_id'), textOf(item['output'])]));
  }
}

/** Names of the tools that a request offers. */
export function offered(body: JsonObject | undefined): string[] {
  const tools = Array.isArray(body?.['tools']) ? body['tools'].filter((tool) => isJsonObject(tool)) : [];
  return tools.map((tool) => member(tool, 'name') || member(tool, 'type'));
}

/** The last mark of the user's words: the settings before it name none. */
function markOf(body: JsonObject): string {
  const said = itemsOf(body).filter(({ role }) => role === 'user');
  for (const item of said) {
    const mark = MARK.exec(JSON.stringify(item['content'] ?? null));
    if (mark !== null) return mark[0];
  }
  return '';
}

function member(object: JsonObject, name: string): string {
  const value = object[name];
  return typeof value === 'string' ? value : '';
}

function textOf(output: unknown): string {
  if (typeof output === 'string') return output;
  if (!Array.isArray(output)) return JSON.stringify(output ?? '');
  return output.map((part: unknown) => (isJsonObject(part) ? member(part, 'text') : '')).join('\n');
}
