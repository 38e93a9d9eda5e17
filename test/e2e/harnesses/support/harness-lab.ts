import { cpSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Schemas } from '../../../../src/client/client.js';
import type { JsonObject } from '../../../../src/domain/json.js';
import { eventsOf } from '../../../support/installation/timeline.js';
import type { LiveStack, Session, TimelineEvent } from '../../../support/installation/live-stack.js';

/** A run that is over, with what its model was asked and told; `Result` is how one tool result looks in the model's format. */
export interface FinishedRun<Result> {
  id: string;
  session: Session;
  timeline: TimelineEvent[];
  diff: string;
  requests: JsonObject[];
  results: Record<string, Result>;
}

/** One installation with the program of a harness in it, and a scripted provider that plays a script for each task by its mark. */
export abstract class HarnessLab<Script, Result> {
  readonly #scripts = new Map<string, Script>();

  constructor(
    readonly stack: LiveStack,
    private readonly closeModel: () => Promise<void>,
    private readonly agent: string,
  ) {}

  /** What the model was asked in the run of a mark. */
  abstract requestsOf(mark: string): JsonObject[];

  /** What the model was told of its calls, by their ids. */
  abstract resultsOf(mark: string): Record<string, Result>;

  abstract createAgent(name: string, more?: object): Promise<unknown>;

  /** Cancels the run while a call of it is made. @returns how it ended, and how long that took */
  async cancelDuringCall(id: string): Promise<{ status: string; tookMs: number }> {
    await this.stack.until('the call to run', 60_000, async () =>
      (await this.stack.timeline(id)).some(({ type }) => type === 'tool.decision') ? true : undefined,
    );
    const begun = Date.now();
    await this.stack.json('POST', `/v1/sessions/${id}/cancel`, {});
    const { status } = await this.stack.untilTerminal(id);
    return { status, tookMs: Date.now() - begun };
  }

  /** Makes an agent `served` with two tools of a server that is in `folder`, which its runs copy. */
  async serveTools(folder: string): Promise<void> {
    cpSync('test/support/mcp/mcp-server.mjs', join(folder, 'mcp-server.mjs'));
    const tools = ['echo', 'count'].map((name) => ({
      name,
      description: `frozen words about ${name}`,
      input_schema: { type: 'object' },
    }));
    const kb = { class: 'sandbox', name: 'kb', command: 'node', args: ['/workspace/mcp-server.mjs'], tools };
    await this.stack.json('POST', '/v1/capabilities', { name: 'kb', servers: [kb] });
    await this.createAgent('served', { capability_bundles: ['kb'] });
  }

  async stop(): Promise<void> {
    await this.closeModel();
    const runs = join(this.stack.dataDir, 'runs');
    // A run is over before its disk is unmounted.
    await this.stack.until('the sandboxes to be removed', 60_000, () =>
      Promise.resolve(!existsSync(runs) || readdirSync(runs).length === 0 ? true : undefined),
    );
    await this.stack.stop();
  }

  scriptOf(taskMark: string): Script | undefined {
    return this.#scripts.get(taskMark);
  }

  /** Gives the model its script for a task. */
  play(mark: string, script: Script): void {
    this.#scripts.set(`task-${mark}`, script);
  }

  /** Starts a run whose model plays this script; its task is its mark and, when given, more text. */
  async begin(mark: string, script: Script, more: object = {}): Promise<string> {
    this.play(mark, script);
    const body = { agent: this.agent, task: `task-${mark}`, ...more };
    return (await this.stack.json<{ session: Session }>('POST', '/v1/sessions', body)).session.id;
  }

  /** The same, until the run is over. */
  async perform(mark: string, script: Script, more: object = {}): Promise<FinishedRun<Result>> {
    return this.finished(mark, await this.begin(mark, script, more));
  }

  async finished(mark: string, id: string): Promise<FinishedRun<Result>> {
    const session = await this.stack.untilTerminal(id, 240_000);
    const [timeline, diff] = await Promise.all([this.stack.timeline(id), this.#diffOf(id)]);
    return { id, session, timeline, diff, requests: this.requestsOf(mark), results: this.resultsOf(mark) };
  }

  async #diffOf(id: string): Promise<string> {
    const { artifacts } = await this.stack.json<{ artifacts: Schemas['ArtifactView'][] }>(
      'GET',
      `/v1/sessions/${id}/artifacts`,
    );
    return artifacts.find(({ kind }) => kind === 'diff')?.content ?? '';
  }
}

/** `[tool call, verdict, source]` of every decision, in their order. */
export function decisions({ timeline }: { timeline: TimelineEvent[] }): unknown[][] {
  return eventsOf(timeline, 'tool.decision').map((data) => [data['tool_call_id'], data['verdict'], data['source']]);
}
