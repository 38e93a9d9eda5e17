import { Injectable } from '@nestjs/common';
import { Egress } from '../../../../src/platform/egress/egress.js';
import { WebhookSecrets } from '../../core/webhooks/webhook-secrets.js';
import { DocsvcError, invalidMember } from '../../domain/errors.js';
import { LATER_EVENT_TYPES } from '../../domain/webhooks/event-types.js';
import { newWebhookSecret } from '../../domain/webhooks/webhook-signature.js';
import type { WebhookChanges } from './webhooks.dto.js';

/** What a webhook may be: its address by the guard of the way out, its events by what this release has. */
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

  /** @throws DocsvcError `invalid_request` for a refused address, `not_implemented` for what a later release brings */
  check({ url, events = [], includeResult }: WebhookChanges): void {
    const refused = url === undefined ? null : this.egress.guarded.admitUrl(url);
    if (refused !== null) {
      throw invalidMember('url', `is refused: ${refused}`, 'address_refused');
    }
    const later = events.find((event) => (LATER_EVENT_TYPES as readonly string[]).includes(event));
    if (later !== undefined) throw new DocsvcError('not_implemented', `events: ${later} comes with a later release`);
    if (includeResult === true) {
      throw new DocsvcError('not_implemented', 'includeResult: results of extractions come with a later release');
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
