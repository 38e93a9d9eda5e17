import { byConversation, reply } from '../../../../src/cli/demo/wire/model-script.js';
import type { ModelScript, ScriptedAnswer } from '../../../../src/cli/demo/wire/model-script.js';
import { startScriptedModel, type ScriptedModel } from '../../../../src/cli/demo/scripted-model.js';
import { isJsonObject, type JsonObject } from '../../../../src/domain/json.js';
import { LiveStack } from '../../../support/installation/live-stack.js';
import { HarnessLab } from './harness-lab.js';

const PROVIDER_KEY = 'the-key-of-the-scripted-model';
/** Claude Code appends words of its own to what a tool said. */
const REMINDERS = /<system-reminder>[^]*?<\/system-reminder>/g;
const MARK = /task-[a-z0-9-]+/;

/** Everything is allowed but what the tests want denied. */
const TRIES = `name: tries
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

/** The agent of a lab, on which all others of it are made. */
export interface LabAgent {
  name: string;
  harness: string;
  model?: string;
}

/** One installation, and a provider that plays a script for each task by its mark `task-<name>`; results are of the Messages format. */
export class MessagesLab extends HarnessLab<ScriptedAnswer[] | ModelScript, ToolResult> {
  private constructor(
    stack: LiveStack,
    readonly model: ScriptedModel,
    private readonly labAgent: LabAgent,
  ) {
    super(stack, () => model.close(), labAgent.name);
  }

  /** Starts one, readies it for its harness and makes its agent. */
  static async start(
    agent: LabAgent,
    env: NodeJS.ProcessEnv,
    ready: (lab: MessagesLab) => Promise<unknown> = () => Promise.resolve(),
  ): Promise<MessagesLab> {
    let lab: MessagesLab | null = null;
    const model = await startScriptedModel({
      apiKey: PROVIDER_KEY,
      script: (request) => {
        const script = lab?.scriptOf(markOf(request.body)) ?? [];
        return (typeof script === 'function' ? script : byConversation(script))(request);
      },
    });
    const provider = {
      SERVICE_LLM_ANTHROPIC_URL: model.url,
      ANTHROPIC_API_KEY: PROVIDER_KEY,
      SERVICE_LLM_OPENAI_URL: `${model.url}/v1`,
      OPENAI_API_KEY: PROVIDER_KEY,
    };
    lab = new MessagesLab(await LiveStack.start({ ...provider, ...env }), model, agent);
    try {
      await ready(lab);
      await lab.stack.json('POST', '/v1/policies', { name: 'tries', yaml: TRIES });
      await lab.createAgent(agent.name);
      return lab;
    } catch (error) {
      await lab.stop();
      throw error;
    }
  }

  createAgent(name: string, more: object = {}): Promise<unknown> {
    return this.stack.json('POST', '/v1/agents', { ...this.labAgent, name, policy: 'tries', ...more });
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

/** Of the task, which is the first thing that the user says. */
function markOf(body: JsonObject): string {
  const messages: unknown[] = Array.isArray(body['messages']) ? body['messages'] : [];
  const first = messages.find((message) => isJsonObject(message) && message['role'] === 'user');
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
