import { ApiProperty } from '@nestjs/swagger';
import type { DeliveryEntity, DeliveryStatus } from '../../core/deliveries/delivery.entity.js';

export class DeliveryView {
  @ApiProperty({ format: 'uuid', description: 'Header `x-service-delivery` and `webhook-id` of every attempt.' })
  id!: string;

  @ApiProperty({ format: 'uuid' })
  session_id!: string;

  @ApiProperty({ format: 'uuid' })
  subscription_id!: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description:
      'Where the result goes, frozen when the run was created: `kind` is signed_webhook (with `url`), codehost_pr_comment or codehost_check (with `connection_id`, `repository`, and `pr_number` or `head_sha`).',
  })
  destination!: object;

  @ApiProperty({ type: 'string', enum: ['pending', 'delivered', 'failed'] })
  status!: DeliveryStatus;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Attempts so far, since it was last sent on its way.' })
  attempts!: number;

  @ApiProperty({ type: 'string', format: 'date-time', nullable: true, description: 'Null when none is to come.' })
  next_attempt_at!: string | null;

  @ApiProperty({ type: 'string', nullable: true, description: 'What the last attempt failed for; null after success.' })
  last_error!: string | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: '`sha256:` and 64 hexadecimal digits over what was sent last; null while nothing was.',
  })
  payload_digest!: string | null;

  @ApiProperty({ type: 'string', format: 'date-time', nullable: true })
  delivered_at!: string | null;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;

  @ApiProperty({ format: 'date-time' })
  updated_at!: string;
}

export class DeliveryList {
  @ApiProperty({ type: [DeliveryView], description: 'Oldest first.' })
  deliveries!: DeliveryView[];
}

export function toDeliveryView(delivery: DeliveryEntity): DeliveryView {
  const { id, session_id, subscription_id, destination, status, attempts, last_error, payload_digest } = delivery;
  return {
    ...{ id, session_id, subscription_id, destination, status, attempts },
    next_attempt_at: delivery.next_attempt_at?.toISOString() ?? null,
    ...{ last_error, payload_digest },
    delivered_at: delivery.delivered_at?.toISOString() ?? null,
    created_at: delivery.created_at.toISOString(),
    updated_at: delivery.updated_at.toISOString(),
  };
}
