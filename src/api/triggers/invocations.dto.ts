import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsObject, IsOptional, IsString } from 'class-validator';
import type { JsonObject } from '../../domain/json.js';
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

/** The run of an invocation. */
export class InvokedRun extends SessionEnvelope {
  @ApiProperty({ description: 'Whether an earlier invocation with the same `Idempotency-Key` started it.' })
  replay!: boolean;

  @ApiProperty({ description: 'Where the token of the trigger reads the run: a path of this service.' })
  poll_url!: string;
}
