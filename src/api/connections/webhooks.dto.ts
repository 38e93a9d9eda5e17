import { ApiProperty } from '@nestjs/swagger';
import { EVENT_NAMES, type EventName } from '../../domain/triggers/events/event-names.js';
import type { DispatchEntity } from '../../core/ingress/dispatch.entity.js';
import type { WebhookEntity } from '../../core/ingress/webhook.entity.js';

const DISPATCH_STATUSES = ['created', 'skipped', 'error'] as const;

class EventOutcome {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ format: 'uuid' })
  subscription_id!: string;

  @ApiProperty({
    type: 'string',
    format: 'uuid',
    nullable: true,
    description: 'Null without a run, and for a caller who does not see the runs of others.',
  })
  session_id!: string | null;

  @ApiProperty({ enum: DISPATCH_STATUSES })
  status!: (typeof DISPATCH_STATUSES)[number];

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: '`overlap`, `replace_cancel_unpersisted` or `error: …`.',
  })
  skip_reason!: string | null;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;
}

/** What came of a webhook for one trigger. */
export class DispatchView extends EventOutcome {
  @ApiProperty({ format: 'uuid' })
  delivery_id!: string;
}

/** The same in the history of the trigger. */
export class EventDispatchView extends EventOutcome {
  @ApiProperty({
    type: 'string',
    format: 'uuid',
    nullable: true,
    description: 'Null once the webhook is no longer kept.',
  })
  delivery_id!: string | null;

  @ApiProperty({ enum: EVENT_NAMES })
  event_type!: EventName;

  @ApiProperty({ description: 'The pull request: `owner/name#number`.' })
  resource!: string;
}

/** A webhook that was stored; its payload is not shown. */
export class WebhookView {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ description: 'The code host’s id of it.' })
  external_event_id!: string;

  @ApiProperty({ enum: EVENT_NAMES })
  event_type!: EventName;

  @ApiProperty({ description: 'SHA-256 of the bytes that were sent: `sha256:` and hexadecimal digits.' })
  payload_digest!: string;

  @ApiProperty({ type: 'string', format: 'date-time', nullable: true })
  occurred_at!: string | null;

  @ApiProperty({ format: 'date-time' })
  received_at!: string;

  @ApiProperty({ type: [DispatchView] })
  dispatches!: DispatchView[];
}

export class WebhookList {
  @ApiProperty({ type: [WebhookView], description: 'The newest thirty, newest first.' })
  deliveries!: WebhookView[];
}

/** @param seesRuns whether the caller sees runs that nobody in person started */
export function toWebhookView(
  { webhook, dispatches }: { webhook: WebhookEntity; dispatches: DispatchEntity[] },
  seesRuns: boolean,
): WebhookView {
  const { id, external_event_id, event_type, payload_digest, occurred_at, received_at } = webhook;
  return {
    ...{ id, external_event_id, event_type, payload_digest },
    occurred_at: occurred_at?.toISOString() ?? null,
    received_at: received_at.toISOString(),
    dispatches: dispatches.map((dispatch) => ({ ...outcomeOf(dispatch, seesRuns), delivery_id: id })),
  };
}

/** For managers of the organization, who see all its runs. */
export function toEventDispatchView(dispatch: DispatchEntity): EventDispatchView {
  const { delivery_id, event_type, resource } = dispatch;
  return { ...outcomeOf(dispatch, true), delivery_id, event_type, resource };
}

function outcomeOf(
  { id, subscription_id, session_id, status, skip_reason, created_at }: DispatchEntity,
  seesRuns: boolean,
): EventOutcome {
  const run = seesRuns ? session_id : null;
  return { id, subscription_id, session_id: run, status, skip_reason, created_at: created_at.toISOString() };
}
