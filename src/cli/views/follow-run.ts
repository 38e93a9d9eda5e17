import { GRANT_QUESTION } from '../../domain/network/grant-question.js';
import { isTerminal, parseRunStatus } from '../../domain/run/status.js';
import { EXIT, exitCodeOfRun } from '../terminal/exit-codes.js';
import type { ExitCode } from '../terminal/exit-codes.js';
import { textOf } from '../server/event-data.js';
import { followRunEvents } from '../server/event-stream.js';
import { pendingApprovals } from '../server/approvals.js';
import { readRun } from '../server/runs.js';
import type { SandgateClient } from '../server/sandgate-client.js';
import type { Approval, RunEvent, Session } from '../server/wire.js';
import { LiveScreen } from '../terminal/live-screen.js';
import { RunMeter } from './run-meter.js';
import { renderEvent } from './timeline.js';

const STATUS_INTERVAL_MS = 1000;
/** Events that follow the terminal move, such as the result, arrive within the same second. */
const TAIL_MS = 400;

export interface FollowOptions {
  /** Called for every approval that becomes pending; whatever it starts is not waited for. */
  readonly onApproval?: (approval: Approval, screen: LiveScreen, decided: AbortSignal) => void;
  readonly onEvent?: (event: RunEvent) => void;
  readonly signal?: AbortSignal;
  readonly screen?: LiveScreen;
}

export interface Followed {
  readonly session: Session;
  readonly exitCode: ExitCode;
}

/** Shows a run live, from its first event to its end, with its cost and what is left of its budgets. */
export class RunFollower {
  private readonly screen: LiveScreen;
  private readonly meter: RunMeter;
  /** By the id of their call. */
  private readonly openApprovals = new Map<string, AbortController>();
  private readonly end = new AbortController();

  constructor(
    private readonly client: SandgateClient,
    private readonly session: Session,
    private readonly options: FollowOptions = {},
  ) {
    this.screen = options.screen ?? new LiveScreen();
    this.meter = new RunMeter(session);
  }

  async follow(): Promise<Followed> {
    const signal = AbortSignal.any([
      this.end.signal,
      ...(this.options.signal === undefined ? [] : [this.options.signal]),
    ]);
    const ticker = setInterval(() => this.drawStatus(), STATUS_INTERVAL_MS);
    try {
      for await (const event of followRunEvents(this.client, this.session.id, 0, signal)) this.take(event);
    } finally {
      clearInterval(ticker);
      for (const open of this.openApprovals.values()) open.abort();
      this.screen.clearStatus();
    }
    const session = await readRun(this.client, this.session.id);
    const ended = isTerminal(parseRunStatus(session.status) ?? 'running');
    return { session, exitCode: ended ? exitCodeOfRun(session.status) : EXIT.interrupted };
  }

  private take(event: RunEvent): void {
    this.options.onEvent?.(event);
    this.meter.take(event);
    const line = renderEvent(event, Date.parse(this.session.created_at), this.screen.colours, this.screen.width);
    if (line !== undefined) this.screen.line(line);
    const { type, data } = event.payload;
    const call = textOf(data, 'tool_call_id');
    if (type === 'approval.requested') this.openApproval(call);
    if (type === 'network.grant.frozen' && data['awaiting_authorization'] === true)
      this.openApproval(GRANT_QUESTION.toolCallId);
    if (type === 'approval.decided') this.openApprovals.get(call)?.abort();
    if (type === 'session.status_changed' && isTerminal(parseRunStatus(textOf(data, 'to')) ?? 'running')) {
      setTimeout(() => this.end.abort(), TAIL_MS);
    }
    this.drawStatus();
  }

  /** A replayed timeline holds approvals that were decided long ago: only a pending one is asked. */
  private openApproval(call: string): void {
    const { onApproval } = this.options;
    if (onApproval === undefined) return;
    const decided = new AbortController();
    this.openApprovals.set(call, decided);
    void pendingApprovals(this.client, this.session.id).then(
      (approvals) => {
        const approval = approvals.find((candidate) => candidate.tool_call_id === call);
        if (approval !== undefined && !decided.signal.aborted) onApproval(approval, this.screen, decided.signal);
      },
      (error: unknown) =>
        this.screen.line(`the approval could not be read: ${error instanceof Error ? error.message : String(error)}`),
    );
  }

  private drawStatus(): void {
    if (this.openApprovals.size > 0 && [...this.openApprovals.values()].some((open) => !open.signal.aborted)) return;
    this.screen.setStatus(this.meter.describe(Date.now()));
  }
}
