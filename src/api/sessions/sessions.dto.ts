import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { JsonObject } from '../../domain/json.js';
import type { Budgets, WorkspaceSpec } from '../../domain/run/spec.js';
import { RUN_STATUSES } from '../../domain/run/status.js';
import { BudgetsView } from '../budgets/budgets.dto.js';
import { WorkspaceView } from '../workspaces/workspace.dto.js';
import { UsageTotals } from './usage.dto.js';

export class SandboxHandleView {
  @ApiProperty()
  runtime!: string;

  @ApiProperty()
  external_id!: string;

  @ApiProperty({ type: 'object', additionalProperties: true })
  attrs!: JsonObject;
}

export class SessionView {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ format: 'uuid' })
  tenant_id!: string;

  @ApiProperty({ format: 'uuid' })
  agent_id!: string;

  @ApiProperty({ format: 'uuid' })
  agent_revision_id!: string;

  @ApiProperty({ type: 'string', description: `One of ${RUN_STATUSES.join(', ')}; a newer server may have more.` })
  status!: string;

  @ApiProperty({ type: 'string', nullable: true })
  status_reason!: string | null;

  @ApiProperty({ type: 'string', enum: ['supervised', 'autonomous'] })
  autonomy!: string;

  @ApiProperty({ type: 'string', enum: ['trusted', 'read_only'] })
  trust_tier!: string;

  @ApiProperty()
  task!: string;

  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' } })
  labels!: Record<string, string>;

  @ApiProperty({ type: WorkspaceView })
  repo_source!: WorkspaceSpec;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'What the run was created with; it never changes.',
  })
  run_spec!: object;

  @ApiProperty({ type: 'object', additionalProperties: true, nullable: true, description: 'How the run was started.' })
  trigger!: object | null;

  @ApiProperty({ type: SandboxHandleView, nullable: true })
  sandbox_handle!: object | null;

  @ApiProperty({ type: BudgetsView })
  budgets!: Budgets;

  @ApiProperty({ type: 'string', nullable: true })
  base_commit!: string | null;

  @ApiProperty({ type: 'string', nullable: true })
  result_summary!: string | null;

  @ApiProperty({ type: 'integer', format: 'int64', minimum: 0, description: 'Highest seq of the ledger.' })
  event_seq!: number;

  @ApiProperty({ type: 'string', format: 'date-time', nullable: true })
  last_heartbeat_at!: string | null;

  @ApiProperty({ type: 'string', format: 'date-time', nullable: true })
  started_at!: string | null;

  @ApiProperty({ type: 'string', format: 'date-time', nullable: true })
  finished_at!: string | null;

  @ApiProperty({ type: 'string', enum: ['user', 'operator', 'trigger', 'schedule', 'webhook'] })
  invoked_by_kind!: string;

  @ApiProperty({ type: 'string', format: 'uuid', nullable: true })
  invoked_by_user_id!: string | null;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;

  @ApiProperty({ format: 'date-time' })
  updated_at!: string;
}

export class SessionEnvelope {
  @ApiProperty({ type: SessionView })
  session!: SessionView;
}

export class SessionRead extends SessionEnvelope {
  @ApiProperty({ type: UsageTotals })
  usage!: UsageTotals;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    description: 'Older queued runs of the organization; present only while queued.',
  })
  queue_position?: number;
}

export class SessionList {
  @ApiProperty({ type: [SessionView], description: 'Newest first.' })
  sessions!: SessionView[];
}

export class CancelAnswer {
  @ApiProperty({ description: 'False when the run had already ended.' })
  cancelled!: boolean;
}
