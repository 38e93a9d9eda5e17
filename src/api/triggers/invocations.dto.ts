import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsObject, IsOptional, IsString } from 'class-validator';
import type { JsonObject } from '../../domain/json.js';
import type { ResultBody } from '../../domain/deliveries/result-body.js';
import { MAX_CONTEXT_BYTES } from '../../domain/triggers/invocation-context.js';
import { OptionalBody } from '../http/optional-body.js';
import { ValidatedByService } from '../http/validated.js';
import { SessionEnvelope } from '../sessions/sessions.dto.js';

export const MAX_TASK_CHARS = 16_384;

/** What an invocation adds to its trigger; the body may be left out. */
@ValidatedByService()
@OptionalBody()
export class InvokeTrigger {
  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    maxLength: MAX_TASK_CHARS,
    description: 'In place of the template; needs `allow_task_override`. A blank one counts as none.',
  })
  @IsOptional()
  @IsString()
  task?: string | null;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: `What the template may name, kept with the run: strings, numbers and booleans, ${MAX_CONTEXT_BYTES} bytes in all.`,
  })
  @IsOptional()
  @IsObject()
  context?: JsonObject | null;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description:
      "`ref` and `commit_sha` inside the trigger's repository, which `repository` may repeat; needs `allow_workspace_override`.",
  })
  @IsOptional()
  @IsObject()
  workspace?: JsonObject | null;
}

class PolledRun {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty()
  status!: string;

  @ApiProperty({ type: 'string', nullable: true })
  status_reason!: string | null;

  @ApiProperty({ format: 'uuid' })
  agent_id!: string;

  @ApiProperty({ format: 'uuid' })
  agent_revision_id!: string;

  @ApiProperty()
  agent_name!: string;

  @ApiProperty()
  task!: string;

  @ApiProperty({ type: 'string', nullable: true })
  summary!: string | null;

  @ApiProperty({ type: 'object', additionalProperties: true, description: 'How the run was started.' })
  invocation!: object;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;

  @ApiProperty({ type: 'string', format: 'date-time', nullable: true })
  started_at!: string | null;

  @ApiProperty({ type: 'string', format: 'date-time', nullable: true })
  finished_at!: string | null;
}

class PolledUsage {
  @ApiProperty({ type: 'integer' })
  input_tokens!: number;

  @ApiProperty({ type: 'integer' })
  output_tokens!: number;

  @ApiProperty({ type: 'integer' })
  cache_read_tokens!: number;

  @ApiProperty({ type: 'integer' })
  cache_write_tokens!: number;

  @ApiProperty({ type: 'number' })
  cost_usd!: number;

  @ApiProperty({ type: 'integer' })
  requests!: number;

  @ApiProperty({ type: 'integer' })
  tool_calls!: number;
}

class PolledArtifact {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty()
  kind!: string;

  @ApiProperty()
  name!: string;

  @ApiProperty()
  content_type!: string;

  @ApiProperty({ description: 'As text.' })
  content!: string;
}

/** A run as the holder of the trigger's token reads it: the session, and what a callback would carry by now. */
export class PolledResult extends SessionEnvelope implements Omit<ResultBody, 'event'> {
  @ApiProperty({ type: 'string', enum: ['run.finished'], nullable: true, description: 'Null until the run is over.' })
  event!: 'run.finished' | null;

  @ApiProperty({ type: 'string', nullable: true, description: 'Null: nobody delivers it.' })
  delivery_id!: string | null;

  @ApiProperty({ type: 'integer', nullable: true, description: 'Null: nobody delivers it.' })
  attempt!: number | null;

  @ApiProperty({ type: PolledRun })
  run!: PolledRun;

  @ApiProperty({ type: PolledUsage })
  usage!: PolledUsage;

  @ApiProperty({ type: [PolledArtifact] })
  artifacts!: PolledArtifact[];
}

/** The run of an invocation. */
export class InvokedRun extends SessionEnvelope {
  @ApiProperty({ description: 'Whether an earlier invocation with the same `Idempotency-Key` started it.' })
  replay!: boolean;

  @ApiProperty({ description: 'Where the token of the trigger reads the run: a path of this service.' })
  poll_url!: string;
}
