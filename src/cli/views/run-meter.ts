import { textOf } from '../server/event-data.js';
import type { RunEvent, Session } from '../server/wire.js';
import { short } from '../terminal/escape.js';

/** What a run used so far and what its budgets leave, counted from its events. */
export class RunMeter {
  private status: string;
  private toolCalls = 0;
  private tokens = 0;
  private costUsd = 0;
  private startedAtMs: number | undefined;

  constructor(private readonly session: Session) {
    this.status = session.status;
  }

  take(event: RunEvent): void {
    const { type, data } = event.payload;
    if (type === 'tool.requested') this.toolCalls += 1;
    if (type === 'session.status_changed') this.status = textOf(data, 'to');
    if (type === 'session.status_changed' && data['to'] === 'running')
      this.startedAtMs ??= Date.parse(event.occurred_at);
    if (type !== 'model.response') return;
    this.costUsd += numberOf(data['cost_usd']);
    for (const count of ['input_tokens', 'output_tokens', 'cache_read_tokens', 'cache_write_tokens'])
      this.tokens += numberOf(data[count]);
  }

  /** One line: `running · $0.0123 spent, $2.4877 left · 3 of 100 calls · 1200 of 1000000 tokens · 12 of 1800 s`. */
  describe(nowMs: number): string {
    const budgets = this.session.budgets;
    const left = budgets.max_cost_usd;
    const cost =
      typeof left === 'number'
        ? `$${this.costUsd.toFixed(4)} spent, $${Math.max(0, left - this.costUsd).toFixed(4)} left`
        : `$${this.costUsd.toFixed(4)} spent`;
    const seconds = this.startedAtMs === undefined ? 0 : Math.max(0, Math.round((nowMs - this.startedAtMs) / 1000));
    return [
      short(this.status, 24),
      cost,
      `${of(this.toolCalls, budgets.max_tool_calls)} calls`,
      `${of(this.tokens, budgets.max_tokens)} tokens`,
      `${of(seconds, budgets.max_wall_clock_secs)} s`,
    ].join(' · ');
  }
}

function of(used: number, cap: number | null | undefined): string {
  return typeof cap === 'number' ? `${used} of ${cap}` : String(used);
}

function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
