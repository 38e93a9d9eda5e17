import type { SandgateClient } from '../server/sandgate-client.js';
import type { Approval, Decision } from '../server/wire.js';
import type { LiveScreen } from '../terminal/live-screen.js';
import { askApproval } from '../terminal/approval-prompt.js';

export function decide(client: SandgateClient, approvalId: string, decision: Decision): Promise<Approval> {
  return client.call((api) =>
    api.POST('/v1/approvals/{id}/decision', { params: { path: { id: approvalId } }, body: { decision } }),
  );
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
    if (answer !== 'later') await decide(this.client, approval.id, answer);
    else if (!decided.aborted) screen.line(`left open; decide with: sandgate approve ${approval.id}`);
  }
}
