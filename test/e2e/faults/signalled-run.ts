import { ServiceError, WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { Database } from '../../../src/core/record/database.js';
import { runWorkflowId } from '../../../src/workflows/messages.js';
import { post, readRows } from '../../support/gate/gated-run.js';
import type { LiveStack } from '../../support/installation/live-stack.js';
import type { FixtureRun } from '../../support/runs/run-fixture.js';

/**
 * Nothing else than the signal itself makes the workflow look within this time: the next timer is the expiry of an approval after
 * ten minutes. It bounds a failure; a server that was killed needs some of it.
 */
const SEEN_WITHIN_MS = 90_000;

/** A run whose runner is the test itself, and whose sandbox host never takes work: its workflow does nothing but wait for signals. */
export class SignalledRun {
  private calls = 0;

  constructor(
    private readonly stack: LiveStack,
    private readonly db: Database,
    private readonly client: Client,
    readonly fixture: FixtureRun,
  ) {}

  /** Calls that were asked for and decided so far: two signals each. */
  get asked(): number {
    return this.calls;
  }

  /**
   * So many calls ask for a human at the same moment, and are decided at the same moment. Both times the workflow must come to show
   * what the row says, with the last signal at the latest.
   */
  async askAndDecide(calls: number): Promise<void> {
    const answers = Promise.all(Array.from({ length: calls }, () => this.ask()));
    // Awaited below, when they are due.
    answers.catch(() => undefined);
    const pending = await this.pending(calls);
    await this.untilShown(calls);
    await Promise.all(pending.map((id) => this.stack.decide(id, 'approved_once')));
    for (const { status, body } of await answers) {
      if (status !== 200 || body['decision'] !== 'allow') throw new Error(`a decided call got ${JSON.stringify(body)}`);
    }
    await this.untilShown(0);
  }

  private ask() {
    this.calls += 1;
    const body = { tool_call_id: `toolu_${this.calls}`, tool: 'Deploy', input: { target: 'production' } };
    return post(`${this.stack.url}/internal/permission`, this.fixture.tokens.tool, body);
  }

  private pending(calls: number): Promise<string[]> {
    return this.stack.until(`${calls} pending approvals`, SEEN_WITHIN_MS, async () => {
      const sql = `select id from approvals where session_id = $1 and status = 'pending'`;
      const rows = await readRows<{ id: string }>(this.db, this.fixture, sql);
      return rows.length === calls ? rows.map(({ id }) => id) : undefined;
    });
  }

  private async untilShown(calls: number): Promise<void> {
    const what = `the workflow of ${this.fixture.runId} to show ${calls} pending approvals`;
    await this.stack.until(what, SEEN_WITHIN_MS, async () => ((await this.shown()) === calls ? true : undefined));
  }

  /** What the workflow last made visible to operators; undefined while it has shown nothing or the server is away. */
  private async shown(): Promise<unknown> {
    try {
      const handle = this.client.workflow.getHandle(runWorkflowId(this.fixture.runId));
      return (await handle.describe()).searchAttributes['SandgatePendingApprovals']?.[0];
    } catch (cause) {
      if (cause instanceof WorkflowNotFoundError || cause instanceof ServiceError) return undefined;
      throw cause;
    }
  }
}

/** What the executions of one workflow hold, oldest first. */
export interface Execution {
  signals: number;
  /** Signals that came after the last workflow task that was completed had begun: the workflow was not told of them. */
  untold: number;
}

/** Reads the executions of a workflow by following the chain from the last one back. */
export async function readExecutions(client: Client, runId: string): Promise<Execution[]> {
  const executions: Execution[] = [];
  let execution: string | undefined;
  do {
    const { events } = await client.workflow.getHandle(runWorkflowId(runId), execution).fetchHistory();
    const all = events ?? [];
    const signals = all.flatMap(({ eventId, workflowExecutionSignaledEventAttributes: signal }) =>
      signal ? [Number(eventId)] : [],
    );
    const told = all.findLast((event) => event.workflowTaskCompletedEventAttributes);
    const begun = Number(told?.workflowTaskCompletedEventAttributes?.startedEventId ?? 0);
    executions.unshift({ signals: signals.length, untold: signals.filter((id) => id > begun).length });
    execution = all[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId ?? '';
  } while (execution !== '');
  return executions;
}
