import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { BudgetLayer } from '../../domain/budgets/effective-budgets.js';
import type { RequestedWorkspace } from '../../domain/run/spec.js';
import {
  CONCURRENCY_POLICIES,
  MISSED_RUN_POLICIES,
  TRIGGER_KINDS,
  type ConcurrencyPolicy,
  type MissedRunPolicy,
  type TriggerKind,
} from '../../domain/triggers/subscription.js';
import { BudgetsView } from '../budgets/budgets.dto.js';
import { EventDispatchView } from '../connections/webhooks.dto.js';
import { DeliveryView } from '../deliveries/deliveries.dto.js';
import { SessionView } from '../sessions/sessions.dto.js';
import { WorkspaceView } from '../workspaces/workspace.dto.js';

const TIME = { type: 'string', format: 'date-time', nullable: true } as const;
const NAMES = { type: 'array', items: { type: 'string' }, nullable: true } as const;

/** The clock of a trigger. */
export class ScheduleView {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ format: 'uuid' })
  subscription_id!: string;

  @ApiProperty({ description: 'As it was typed.' })
  cron!: string;

  @ApiProperty({ description: 'IANA name.' })
  timezone!: string;

  @ApiProperty({ enum: MISSED_RUN_POLICIES })
  missed_run_policy!: MissedRunPolicy;

  @ApiProperty({ ...TIME, description: 'Null never fires again.' })
  next_fire_at!: string | null;

  @ApiProperty({ ...TIME, description: 'Nominal time of the last firing that made a run.' })
  last_fired_at!: string | null;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;

  @ApiProperty({ format: 'date-time' })
  updated_at!: string;
}

/** A trigger; never its token or its secret. */
export class Trigger {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ format: 'uuid' })
  tenant_id!: string;

  @ApiProperty({ description: 'Name of the agent.' })
  agent!: string;

  @ApiProperty({ format: 'uuid' })
  agent_id!: string;

  @ApiProperty()
  name!: string;

  @ApiProperty({ enum: TRIGGER_KINDS, description: 'Fixed when it was created.' })
  trigger_kind!: TriggerKind;

  @ApiProperty()
  enabled!: boolean;

  @ApiProperty({ type: 'string', format: 'uuid', nullable: true, description: 'Null runs the latest revision.' })
  pinned_revision_id!: string | null;

  @ApiProperty({ type: 'string', nullable: true })
  task_template!: string | null;

  @ApiProperty()
  allow_task_override!: boolean;

  @ApiProperty()
  allow_workspace_override!: boolean;

  @ApiProperty()
  autonomous!: boolean;

  @ApiProperty()
  allow_unpriced!: boolean;

  @ApiProperty({ enum: CONCURRENCY_POLICIES })
  concurrency_policy!: ConcurrencyPolicy;

  @ApiProperty({ type: BudgetsView, nullable: true })
  budgets!: BudgetLayer | null;

  @ApiProperty({ type: WorkspaceView, nullable: true, description: "Null is the revision's default." })
  workspace!: RequestedWorkspace | null;

  @ApiProperty({ type: 'string', nullable: true })
  callback_url!: string | null;

  @ApiProperty({ type: 'string', format: 'uuid', nullable: true })
  connection!: string | null;

  @ApiProperty({ ...NAMES, description: 'Empty is all that the connection sees.' })
  repositories!: string[] | null;

  @ApiProperty(NAMES)
  events!: string[] | null;

  @ApiProperty(NAMES)
  publish!: string[] | null;

  @ApiProperty({ ...NAMES, description: 'Null keeps all bundles of the revision.' })
  capabilities!: string[] | null;

  @ApiProperty({ type: ScheduleView, nullable: true })
  schedule!: ScheduleView | null;

  @ApiProperty({ ...TIME, description: 'That of the schedule.' })
  next_fire_at!: string | null;

  @ApiProperty({ ...TIME, description: 'That of the schedule.' })
  last_fired_at!: string | null;

  @ApiProperty({
    type: 'integer',
    format: 'int32',
    minimum: 1,
    description: 'Grows with each change of the callback; results of runs from before are not sent any more.',
  })
  authority_generation!: number;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;

  @ApiProperty({ format: 'date-time' })
  updated_at!: string;
}

export class TriggerList {
  @ApiProperty({ type: [Trigger], description: 'Newest first.' })
  triggers!: Trigger[];

  @ApiProperty({ description: 'Where this deployment is reached.' })
  base_url!: string;
}

/** Where a trigger is reached. */
export class TriggerAddresses {
  @ApiProperty()
  base_url!: string;

  @ApiProperty({ description: 'Takes the invocations.' })
  invoke_url!: string;

  @ApiProperty({ description: 'Shows a run; `{session_id}` stands for its id.' })
  poll_url_template!: string;

  @ApiProperty({ type: 'string', nullable: true, description: 'Takes the webhooks of an event trigger.' })
  ingress_url!: string | null;
}

/** A trigger and where it is reached. */
export class AddressedTrigger extends Trigger implements TriggerAddresses {
  @ApiProperty()
  base_url!: string;

  @ApiProperty({ description: 'Takes the invocations.' })
  invoke_url!: string;

  @ApiProperty({ description: 'Shows a run; `{session_id}` stands for its id.' })
  poll_url_template!: string;

  @ApiProperty({ type: 'string', nullable: true, description: 'Takes the webhooks of an event trigger.' })
  ingress_url!: string | null;

  @ApiProperty({
    type: 'array',
    items: { type: 'string', format: 'date-time' },
    description: 'The next five firings; none without a clock or while disabled.',
  })
  next_firings!: string[];
}

export class CreatedTrigger extends AddressedTrigger {
  @ApiProperty({ description: 'Shown this once.' })
  token!: string;

  @ApiProperty({ type: 'string', nullable: true, description: 'What callbacks are signed with; shown this once.' })
  callback_secret!: string | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'The same secret in the form that libraries of Standard Webhooks take.',
  })
  callback_secret_standard!: string | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Of an event trigger: the path to enter as webhook address at the host.',
  })
  ingress_path!: string | null;
}

export class ChangedTrigger extends AddressedTrigger {
  @ApiPropertyOptional({ description: 'Of a new callback; shown this once.' })
  callback_secret?: string;

  @ApiPropertyOptional({ description: 'The same secret in the form that libraries of Standard Webhooks take.' })
  callback_secret_standard?: string;
}

/** One time that a trigger was asked to start a run. */
export class InvocationView {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ format: 'uuid' })
  subscription_id!: string;

  @ApiProperty({ description: 'Of the caller, or `auto-`, `manual-` or `sched:` and what made it.' })
  idempotency_key!: string;

  @ApiProperty({ type: 'string', format: 'uuid', nullable: true })
  session_id!: string | null;

  @ApiProperty({ type: 'string', nullable: true, description: 'Why it made no run.' })
  skip_reason!: string | null;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;
}

export class TriggerWithHistory extends AddressedTrigger {
  @ApiProperty({ type: [SessionView], description: 'The 20 newest runs, whatever started them.' })
  sessions!: SessionView[];

  @ApiProperty({ type: [DeliveryView], description: 'The 20 newest deliveries of results.' })
  deliveries!: DeliveryView[];

  @ApiProperty({ type: [InvocationView], description: 'The 30 newest.' })
  invocations!: InvocationView[];

  @ApiProperty({ type: [EventDispatchView], description: 'What came of events, the 30 newest.' })
  dispatches!: EventDispatchView[];
}

export class RotatedToken extends TriggerAddresses {
  @ApiProperty({ description: 'Shown this once.' })
  token!: string;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'How many tokens are no longer good.' })
  revoked!: number;
}
