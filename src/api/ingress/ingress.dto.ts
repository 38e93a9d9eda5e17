import { ApiProperty } from '@nestjs/swagger';
import { EVENT_NAMES, type EventName } from '../../domain/triggers/events/event-names.js';
import type { ProcessedWebhook, SettledWebhook } from '../../core/ingress/webhook-ingress.js';

class DispatchedEvent {
  @ApiProperty({ format: 'uuid' })
  subscription_id!: string;

  @ApiProperty({ format: 'uuid' })
  session_id!: string;
}

class SkippedEvent {
  @ApiProperty({ format: 'uuid' })
  subscription_id!: string;

  @ApiProperty({ example: 'already_dispatched' })
  reason!: string;

  @ApiProperty({ format: 'uuid', required: false })
  running_session_id?: string;
}

/** A webhook that was stored. Runs start afterwards; `GET /v1/connections/{id}/deliveries` tells what came of it. */
export class StoredWebhookView implements ProcessedWebhook {
  @ApiProperty({ format: 'uuid' })
  delivery_id!: string;

  @ApiProperty({ enum: EVENT_NAMES })
  event_type!: EventName;

  @ApiProperty({ description: 'It, or one with the same content, was stored before.' })
  duplicate!: boolean;

  @ApiProperty({ type: [DispatchedEvent], description: 'Runs that are known at this moment.' })
  dispatched!: DispatchedEvent[];

  @ApiProperty({ type: [SkippedEvent], description: 'Triggers that an earlier webhook of the same content served.' })
  skipped!: SkippedEvent[];
}

/** A webhook that starts nothing. */
export class IgnoredWebhookView {
  @ApiProperty({ description: 'Name of the event.', example: 'ping' })
  ignored!: string;

  @ApiProperty({ required: false, description: 'Of an app’s webhook that is for no active connection.' })
  installation_id?: string;
}

/** An event of an installation, and its connection as it is then. */
export class HandledWebhookView {
  @ApiProperty({ enum: ['created', 'deleted', 'suspend', 'unsuspend'] })
  handled!: string;

  @ApiProperty()
  installation_id!: string;

  @ApiProperty({ format: 'uuid' })
  connection_id!: string;

  @ApiProperty()
  status!: string;
}

export type WebhookAnswer = SettledWebhook | ProcessedWebhook;
