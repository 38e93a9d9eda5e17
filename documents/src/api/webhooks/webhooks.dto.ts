import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import type { WebhookEntity } from '../../core/webhooks/webhook.entity.js';
import { ASKABLE_EVENTS } from '../../domain/webhooks/event-types.js';
import { MAX_ATTEMPTS, MAX_WAIT_SECONDS, STRATEGIES, type RetryPolicy } from '../../domain/webhooks/retry-policy.js';
import { MayBeLeftOut } from '../http/left-out.js';
import { MAX_DESCRIPTION } from '../workspaces/workspaces.dto.js';

const MAX_EVENTS = 20;
const MAX_URL = 2048;

export class RetryMembers implements RetryPolicy {
  @ApiProperty({
    type: 'string',
    enum: [...STRATEGIES],
    description:
      '`standard`: now, then after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h. `exponential`: doubles from `initialSeconds` up to ' +
      '`maxSeconds`. `fixed`: every `initialSeconds`. Waits are spread by a fifth.',
  })
  @IsIn(STRATEGIES)
  strategy!: RetryPolicy['strategy'];

  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: MAX_ATTEMPTS })
  @MayBeLeftOut()
  @IsInt()
  @Min(1)
  @Max(MAX_ATTEMPTS)
  maxAttempts?: number;

  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: MAX_WAIT_SECONDS })
  @MayBeLeftOut()
  @IsInt()
  @Min(1)
  @Max(MAX_WAIT_SECONDS)
  initialSeconds?: number;

  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: MAX_WAIT_SECONDS })
  @MayBeLeftOut()
  @IsInt()
  @Min(1)
  @Max(MAX_WAIT_SECONDS)
  maxSeconds?: number;
}

export class NewWebhook {
  @ApiProperty({
    format: 'uri',
    maxLength: MAX_URL,
    description: 'https; plain http and inside addresses only where the operator allows them.',
  })
  @IsString()
  @MaxLength(MAX_URL)
  url!: string;

  @ApiProperty({
    type: 'array',
    items: { type: 'string', enum: [...ASKABLE_EVENTS] },
    minItems: 1,
    maxItems: MAX_EVENTS,
    description: '`*`: every event of the project.',
  })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_EVENTS)
  @ArrayUnique()
  @IsIn(ASKABLE_EVENTS, { each: true })
  events!: string[];

  @ApiPropertyOptional({ type: 'string', nullable: true, maxLength: MAX_DESCRIPTION })
  @IsOptional()
  @IsString()
  @MaxLength(MAX_DESCRIPTION)
  description?: string | null;

  @ApiPropertyOptional({ default: true })
  @MayBeLeftOut()
  @IsBoolean()
  enabled?: boolean;

  @ApiPropertyOptional({
    default: false,
    description: 'Events of runs bring what the run came to, where that is at most 64 KiB of JSON.',
  })
  @MayBeLeftOut()
  @IsBoolean()
  includeResult?: boolean;

  @ApiPropertyOptional({ type: RetryMembers })
  @MayBeLeftOut()
  @IsObject()
  @ValidateNested()
  @Type(() => RetryMembers)
  retry?: RetryMembers;
}

export class WebhookChanges {
  @ApiPropertyOptional({ format: 'uri', maxLength: MAX_URL })
  @MayBeLeftOut()
  @IsString()
  @MaxLength(MAX_URL)
  url?: string;

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'string', enum: [...ASKABLE_EVENTS] },
    minItems: 1,
    maxItems: MAX_EVENTS,
  })
  @MayBeLeftOut()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_EVENTS)
  @ArrayUnique()
  @IsIn(ASKABLE_EVENTS, { each: true })
  events?: string[];

  @ApiPropertyOptional({ type: 'string', nullable: true, maxLength: MAX_DESCRIPTION })
  @IsOptional()
  @IsString()
  @MaxLength(MAX_DESCRIPTION)
  description?: string | null;

  @ApiPropertyOptional({ description: 'False cancels what is on its way.' })
  @MayBeLeftOut()
  @IsBoolean()
  enabled?: boolean;

  @ApiPropertyOptional({ description: 'From the next run on.' })
  @MayBeLeftOut()
  @IsBoolean()
  includeResult?: boolean;

  @ApiPropertyOptional({ type: RetryMembers })
  @MayBeLeftOut()
  @IsObject()
  @ValidateNested()
  @Type(() => RetryMembers)
  retry?: RetryMembers;
}

export class WebhookView {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ format: 'uuid' })
  projectId!: string;

  @ApiProperty()
  url!: string;

  @ApiProperty({ type: [String] })
  events!: string[];

  @ApiProperty({ type: 'string', nullable: true })
  description!: string | null;

  @ApiProperty()
  enabled!: boolean;

  @ApiProperty({ type: 'string', nullable: true, description: 'Why the service has disabled it.' })
  disabledReason!: string | null;

  @ApiProperty()
  includeResult!: boolean;

  @ApiProperty({ type: RetryMembers })
  retry!: RetryPolicy;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    nullable: true,
    description: 'Since when no delivery has succeeded.',
  })
  failingSince!: Date | null;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    nullable: true,
    description: 'How long the secret before the last rotation signs too.',
  })
  previousSecretUntil!: Date | null;

  @ApiProperty({ format: 'date-time' })
  createdAt!: Date;

  @ApiProperty({ format: 'date-time' })
  updatedAt!: Date;
}

export class WebhookWithSecret extends WebhookView {
  @ApiProperty({ description: '`whsec_…`, shown this once.' })
  secret!: string;
}

export function viewWebhook(row: WebhookEntity): WebhookView {
  return {
    id: row.id,
    projectId: row.project_id,
    url: row.url,
    events: row.events,
    description: row.description,
    enabled: row.enabled,
    disabledReason: row.disabled_reason,
    includeResult: row.include_result,
    retry: row.retry,
    failingSince: row.failing_since,
    previousSecretUntil: row.previous_secret_until,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
