import type { Sealer } from '../../platform/seal/sealer.js';

const COLUMN = 'webhooks.sealed_secret';
const PREVIOUS = 'webhooks.sealed_previous_secret';

type Place = { orgId: string; webhookId: string };

/** Secrets of webhooks at rest: each opens in its row and its column alone. */
export class WebhookSecrets {
  constructor(private readonly sealer: Sealer) {}

  /** @throws DocsvcError `unavailable` without a key */
  require(): void {
    this.sealer.require();
  }

  seal({ orgId, webhookId }: Place, secret: string): Buffer {
    return this.sealer.seal({ orgId, column: COLUMN, row: webhookId }, secret);
  }

  /** What was the secret becomes the previous one. */
  sealAsPrevious(place: Place, sealed: Buffer): Buffer {
    const { orgId, webhookId } = place;
    return this.sealer.seal({ orgId, column: PREVIOUS, row: webhookId }, this.open(place, sealed, COLUMN));
  }

  /** The secrets that sign now, the newest first. @param previous null when it does not sign any more */
  signing(place: Place, sealed: Buffer, previous: Buffer | null): string[] {
    return [this.open(place, sealed, COLUMN), ...(previous === null ? [] : [this.open(place, previous, PREVIOUS)])];
  }

  private open({ orgId, webhookId }: Place, sealed: Buffer, column: string): string {
    return this.sealer.open({ orgId, column, row: webhookId }, sealed).toString('utf8');
  }
}
