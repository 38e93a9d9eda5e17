import { decide } from '../server/approvals.js';
import type { SandgateClient } from '../server/sandgate-client.js';
import type { Approval, DecidedApproval } from '../server/wire.js';
import { askApproval } from './approval-prompt.js';
import { inline } from '../terminal/escape.js';
import type { LiveScreen } from '../terminal/live-screen.js';

/** How an approval was settled: what a grant covers, or why none could be given. */
export function describeDecision(approval: DecidedApproval): string {
  const by = approval.decided_by === null ? '' : ` by ${inline(approval.decided_by)}`;
  const note = approval.narrowed ? ` (${inline(approval.reason ?? 'not for the run')})` : '';
  const covered = approval.status === 'approved_session' ? approval.grant.covers : null;
  const granted = covered === null ? '' : `\n  for this run: ${inline(covered)}`;
  return `${approval.id}: ${inline(approval.status)}${by}${note}${granted}`;
}

/** Questions come one after the other, because there is one keyboard. */
export class ApprovalDesk {
  private queue: Promise<void> = Promise.resolve();

  constructor(private readonly client: SandgateClient) {}

  ask(approval: Approval, screen: LiveScreen, decided: AbortSignal): void {
    this.queue = this.queue
      .then(() => (decided.aborted ? undefined : this.askNow(approval, screen, decided)))
      .catch((error: unknown) =>
        screen.line(`the decision was not taken: ${error instanceof Error ? error.message : String(error)}`),
      );
  }

  private async askNow(approval: Approval, screen: LiveScreen, decided: AbortSignal): Promise<void> {
    const answer = await askApproval(approval, screen, decided);
    if (answer !== 'later') screen.line(describeDecision(await decide(this.client, approval.id, answer)));
    else if (!decided.aborted) screen.line(`left open; decide with: sandgate approve ${approval.id}`);
  }
}
