import { Injectable } from '@nestjs/common';
import { Egress } from '../../../../src/platform/egress/egress.js';
import { WebhookSecrets } from '../../core/webhooks/webhook-secrets.js';
import { invalidMember } from '../../domain/errors.js';
import { newWebhookSecret } from '../../domain/webhooks/webhook-signature.js';
import type { WebhookChanges } from './webhooks.dto.js';

/** What a webhook may be: its address by the guard of the way out. */
@Injectable()
export class WebhookRules {
  constructor(
    private readonly egress: Egress,
    private readonly secrets: WebhookSecrets,
  ) {}

  /** @throws DocsvcError `unavailable` without a key */
  requireKey(): void {
    this.secrets.require();
  }

  /** @throws DocsvcError `invalid_request` for a refused address */
  check({ url }: WebhookChanges): void {
    const refused = url === undefined ? null : this.egress.guarded.admitUrl(url);
    if (refused !== null) {
      throw invalidMember('url', `is refused: ${refused}`, 'address_refused');
    }
  }

  newSecret(orgId: string, webhookId: string): { secret: string; sealed: Buffer } {
    const secret = newWebhookSecret();
    return { secret, sealed: this.secrets.seal({ orgId, webhookId }, secret) };
  }

  previousSecret(orgId: string, webhookId: string, sealed: Buffer): Buffer {
    return this.secrets.sealAsPrevious({ orgId, webhookId }, sealed);
  }
}
