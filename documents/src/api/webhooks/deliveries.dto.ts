import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import type { DeliveryAttemptEntity } from '../../core/webhooks/delivery-attempt.entity.js';
import type { DeliveryEntity, DeliveryStatus } from '../../core/webhooks/delivery.entity.js';
import { MayBeLeftOut } from '../http/left-out.js';
import { PageQuery } from '../http/page.js';

const STATUSES = ['pending', 'retrying', 'succeeded', 'exhausted', 'cancelled'] as const;

export class DeliveriesQuery extends PageQuery {
  @ApiPropertyOptional({ type: 'string', enum: [...STATUSES], description: 'Only deliveries of this status.' })
  @MayBeLeftOut()
  @IsIn(STATUSES)
  status?: DeliveryStatus;
}

export class AttemptView {
  @ApiProperty({ type: 'integer', minimum: 1 })
  number!: number;

  @ApiProperty({ format: 'date-time' })
  at!: Date;

  @ApiProperty({ type: 'integer', nullable: true, description: 'Null where there was no answer.' })
  statusCode!: number | null;

  @ApiProperty({ type: 'integer' })
  durationMs!: number;

  @ApiProperty({ type: 'string', nullable: true, description: 'Why it failed; null for one that succeeded.' })
  error!: string | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'The beginning of the answer, at most 1 KiB; what looks like a secret is cut out.',
  })
  responseSnippet!: string | null;
}

export class DeliveryView {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ format: 'uuid' })
  webhookId!: string;

  @ApiProperty({ format: 'uuid', description: 'The `webhook-id` of its requests.' })
  eventId!: string;

  @ApiProperty()
  eventType!: string;

  @ApiProperty({ type: 'string', enum: [...STATUSES] })
  status!: DeliveryStatus;

  @ApiProperty({ type: [AttemptView] })
  attempts!: AttemptView[];

  @ApiProperty({ type: 'string', format: 'date-time', nullable: true })
  nextAttemptAt!: Date | null;

  @ApiProperty({ format: 'date-time' })
  createdAt!: Date;

  @ApiProperty({ type: 'string', format: 'date-time', nullable: true })
  finishedAt!: Date | null;
}

export function viewDelivery(row: DeliveryEntity, attempts: readonly DeliveryAttemptEntity[]): DeliveryView {
  return {
    id: row.id,
    webhookId: row.webhook_id,
    eventId: row.event_id,
    eventType: row.event_type,
    status: row.status,
    attempts: attempts.filter((one) => one.delivery_id === row.id).map(viewAttempt),
    nextAttemptAt: row.next_attempt_at,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
  };
}

export function viewAttempt(row: DeliveryAttemptEntity): AttemptView {
  const {
    number,
    at,
    status_code: statusCode,
    duration_ms: durationMs,
    error,
    response_snippet: responseSnippet,
  } = row;
  return { number, at, statusCode, durationMs, error, responseSnippet };
}
