import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Schemas } from '../../../../src/client/client.js';
import { isJsonObject, type JsonObject } from '../../../../src/domain/json.js';
import { placeHarness } from '../../../support/harness-program.js';
import { LiveStack, type Session, type TimelineEvent } from '../../../support/live-stack.js';
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
export class CodexLab {
  private constructor(
    readonly stack: LiveStack,
    readonly model: ScriptedResponses,
    private readonly scripts: Map<string, Script>,
  ) {}

  static async start(env: NodeJS.ProcessEnv = {}): Promise<CodexLab> {
    const scripts = new Map<string, Script>();
    const model = await ScriptedResponses.start(
      (body) => scripts.get(markOf(body))?.(turnsOf(body), body) ?? { status: 400, message: 'no script' },
    );
    const stack = await LiveStack.start({
      SERVICE_LLM_OPENAI_URL: model.url,
      OPENAI_API_KEY: 'sk-scripted',
      ...env,
    }).catch(async (error: unknown) => {
      await model.close();
      throw error;
    });
    const lab = new CodexLab(stack, model, scripts);
    try {
      await placeHarness(stack.dataDir, 'codex');
      await stack.json('POST', '/v1/policies', { name: 'tries', yaml: POLICY });
      await lab.createAgent('codex');
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
    return this.stack.json('POST', '/v1/agents', { name, harness: 'codex', model: MODEL, policy: 'tries', ...more });
  }

  /** Starts a run whose model plays these answers by how far its conversation has come; its task is its mark and, when given, more text. */
  async begin(mark: string, answers: Answer[] | Script, more: object = {}): Promise<string> {
    const past: Answer = { status: 400, message: 'the script is over' };
    this.scripts.set(`task-${mark}`, typeof answers === 'function' ? answers : (turn) => answers[turn] ?? past);
    const body = { agent: 'codex', task: `task-${mark}`, ...more };
    return (await this.stack.json<{ session: Session }>('POST', '/v1/sessions', body)).session.id;
  }

  /** The same, until the run is over. */
  async perform(mark: string, answers: Answer[] | Script, more: object = {}): Promise<FinishedRun> {
    return this.finished(mark, await this.begin(mark, answers, more));
  }

  async finished(mark: string, id: string): Promise<FinishedRun> {
    const session = await this.stack.untilTerminal(id, 120_000);
    const [timeline, diff] = await Promise.all([this.stack.timeline(id), this.diffOf(id)]);
    return { id, session, timeline, diff, requests: this.requestsOf(mark), results: this.resultsOf(mark) };
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

  private async diffOf(id: string): Promise<string> {
    const { artifacts } = await this.stack.json<{ artifacts: Schemas['ArtifactView'][] }>(
      'GET',
      `/v1/sessions/${id}/artifacts`,
    );
    return artifacts.find(({ kind }) => kind === 'diff')?.content ?? '';
  }
}

export interface FinishedRun {
  id: string;
  session: Session;
  timeline: TimelineEvent[];
  diff: string;
  requests: JsonObject[];
  results: Record<string, string>;
}

export function eventsOf(timeline: TimelineEvent[], type: string): Record<string, unknown>[] {
  return timeline.filter((event) => event.type === type).map((event) => event.payload.data);
}

/** `[call, verdict, source]` of every decision, in their order. */
export function decisions({ timeline }: Pick<FinishedRun, 'timeline'>): unknown[][] {
  return eventsOf(timeline, 'tool.decision').map((data) => [data['tool_call_id'], data['verdict'], data['source']]);
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
