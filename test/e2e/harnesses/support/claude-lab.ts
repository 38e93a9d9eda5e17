import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { byConversation, reply } from '../../../../src/cli/demo/model-script.js';
import type { ModelScript, ScriptedAnswer } from '../../../../src/cli/demo/model-script.js';
import { startScriptedModel, type ScriptedModel } from '../../../../src/cli/demo/scripted-model.js';
import { isJsonObject, type JsonObject } from '../../../../src/domain/json.js';
import { placeHarness } from '../../../support/harness-program.js';
import { LiveStack, type Session, type TimelineEvent } from '../../../support/live-stack.js';

export const PROVIDER_KEY = 'the-key-of-the-scripted-model';
/** Claude Code appends words of its own to what a tool said. */
const REMINDERS = /<system-reminder>[^]*?<\/system-reminder>/g;
const MARK = /task-[a-z0-9-]+/;

/** Everything is allowed but what the tests want denied. */
const POLICY = `name: tries
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
export class ClaudeLab {
  readonly #scripts = new Map<string, ModelScript>();

  private constructor(
    readonly stack: LiveStack,
    readonly model: ScriptedModel,
    scripts: Map<string, ModelScript>,
  ) {
    this.#scripts = scripts;
  }

  static async start(env: NodeJS.ProcessEnv = {}): Promise<ClaudeLab> {
    const scripts = new Map<string, ModelScript>();
    const model = await startScriptedModel({
      apiKey: PROVIDER_KEY,
      script: (request) =>
        scripts.get(markOf(request.body))?.(request) ?? { kind: 'error', status: 400, message: 'no script' },
    });
    const stack = await LiveStack.start({
      SERVICE_LLM_ANTHROPIC_URL: model.url,
      ANTHROPIC_API_KEY: PROVIDER_KEY,
      ...env,
    });
    const lab = new ClaudeLab(stack, model, scripts);
    try {
      await placeHarness(stack.dataDir, 'claude-agent-sdk');
      await stack.json('POST', '/v1/policies', { name: 'tries', yaml: POLICY });
      await stack.json('POST', '/v1/policies', { name: 'asks', yaml: ASKS });
      await lab.createAgent('claude');
      await lab.createAgent('asker', { policy: 'asks' });
      return lab;
    } catch (error) {
      await lab.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    await this.model.close();
    const runs = join(this.stack.dataDir, 'runs');
    // A run is over before its disk is unmounted.
    await this.stack.until('the sandboxes to be removed', 60_000, () =>
      Promise.resolve(!existsSync(runs) || readdirSync(runs).length === 0 ? true : undefined),
    );
    await this.stack.stop();
  }

  createAgent(name: string, more: object = {}): Promise<unknown> {
    return this.stack.json('POST', '/v1/agents', { name, harness: 'claude-agent-sdk', policy: 'tries', ...more });
  }

  /** Gives the model its answers for a task, by how far the conversation has come. */
  play(mark: string, answers: ScriptedAnswer[] | ModelScript): void {
    this.#scripts.set(`task-${mark}`, typeof answers === 'function' ? answers : byConversation(answers));
  }

  /** Starts a run whose model plays these answers; its task is its mark and, when given, more text. */
  async begin(mark: string, answers: ScriptedAnswer[] | ModelScript, more: object = {}): Promise<string> {
    this.play(mark, answers);
    const body = { agent: 'claude', task: `task-${mark}`, ...more };
    return (await this.stack.json<{ session: Session }>('POST', '/v1/sessions', body)).session.id;
  }

  /** The same, until the run is over. */
  async perform(mark: string, answers: ScriptedAnswer[] | ModelScript, more: object = {}): Promise<FinishedRun> {
    return this.finished(mark, await this.begin(mark, answers, more));
  }

  async finished(mark: string, id: string): Promise<FinishedRun> {
    const session = await this.stack.untilTerminal(id, 120_000);
    const [timeline, diff] = await Promise.all([this.stack.timeline(id), this.diffOf(id)]);
    return { id, session, timeline, diff, requests: this.requestsOf(mark), results: this.resultsOf(mark) };
  }

  requestsOf(mark: string): JsonObject[] {
    return this.model.requests.map(({ body }) => body).filter((body) => markOf(body) === `task-${mark}`);
  }

  /** What the model was told of its tool uses, by their ids. */
  resultsOf(mark: string): Record<string, ToolResult> {
    const blocks = blocksOf(this.requestsOf(mark).at(-1) ?? {});
    const results = blocks.filter((block) => block['type'] === 'tool_result');
    return Object.fromEntries(
      results.map((block) => [
        textOf(block['tool_use_id']),
        { text: textOf(block['content']).replace(REMINDERS, '').trim(), isError: block['is_error'] === true },
      ]),
    );
  }

  private async diffOf(id: string): Promise<string> {
    const { artifacts } = await this.stack.json<{ artifacts: { kind: string; content: string }[] }>(
      'GET',
      `/v1/sessions/${id}/artifacts`,
    );
    return artifacts.find(({ kind }) => kind === 'diff')?.content ?? '';
  }
}

export interface ToolResult {
  text: string;
  isError: boolean;
}

export interface FinishedRun {
  id: string;
  session: Session;
  timeline: TimelineEvent[];
  diff: string;
  requests: JsonObject[];
  results: Record<string, ToolResult>;
}

/** One tool use of the scripted model. */
export function use(id: string, tool: string, input: JsonObject): ScriptedAnswer {
  return reply({ tool, input, id: `toolu_${id}` });
}

export const bash = (id: string, command: string): ScriptedAnswer => use(id, 'Bash', { command, description: 'a try' });
export const done = reply({ text: 'Done.' });

export function eventsOf(timeline: TimelineEvent[], type: string): Record<string, unknown>[] {
  return timeline.filter((event) => event.type === type).map((event) => event.payload.data);
}

/** `[tool use, verdict, source]` of every decision, in their order. */
export function decisions({ timeline }: Pick<FinishedRun, 'timeline'>): string[][] {
  return eventsOf(timeline, 'tool.decision').map((data) =>
    ['tool_call_id', 'verdict', 'source'].map((name) => textOf(data[name])),
  );
}

function markOf(body: JsonObject): string {
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
