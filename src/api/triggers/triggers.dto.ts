import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  IsArray,
  IsBoolean,
  IsIn,
  IsObject,
  IsOptional,
  IsString,
  IsUUID,
  Matches,
  MaxLength,
  MinLength,
  ValidateNested,
} from 'class-validator';
import { EVENT_NAMES } from '../../domain/triggers/events/event-names.js';
import { MAX_NAME_CHARS } from '../../domain/triggers/subscription-rules.js';
import {
  CONCURRENCY_POLICIES,
  MISSED_RUN_POLICIES,
  PUBLISH_MODES,
  type ConcurrencyPolicy,
  type MissedRunPolicy,
} from '../../domain/triggers/subscription.js';
import { MAX_PROMPT_CHARS } from '../agents/agents.dto.js';
import { BudgetsInput } from '../budgets/budgets.dto.js';
import { WorkspaceBody } from '../workspaces/workspace.dto.js';

const NOT_BLANK = '\\S';
const MAX_URL_CHARS = 2048;
const MAX_CRON_CHARS = 1000;
const MAX_ZONE_CHARS = 100;

const CRON = {
  maxLength: MAX_CRON_CHARS,
  description:
    'Five fields (minute, hour, day of month, month, weekday), six with leading seconds, or seven with a trailing year.',
};
const ZONE = { maxLength: MAX_ZONE_CHARS, description: 'IANA name of the zone whose clock counts.' };
const MISSED = {
  enum: [...MISSED_RUN_POLICIES, null],
  description: 'What is done about firings that nobody was there for: nothing, or one run for the oldest.',
};

/** The clock of a new trigger. */
export class ScheduleInput {
  @ApiProperty(CRON)
  @IsString()
  @MaxLength(MAX_CRON_CHARS)
  cron!: string;

  @ApiPropertyOptional({ type: 'string', nullable: true, default: 'UTC', ...ZONE })
  @IsOptional()
  @IsString()
  @MaxLength(MAX_ZONE_CHARS)
  timezone?: string | null;

  @ApiPropertyOptional({ type: 'string', nullable: true, default: 'skip', ...MISSED })
  @IsOptional()
  @IsIn(MISSED_RUN_POLICIES)
  missed_run_policy?: MissedRunPolicy | null;
}

/** What of a clock is to be another. */
export class ScheduleChange {
  @ApiPropertyOptional({ type: 'string', nullable: true, ...CRON })
  @IsOptional()
  @IsString()
  @MaxLength(MAX_CRON_CHARS)
  cron?: string | null;

  @ApiPropertyOptional({ type: 'string', nullable: true, ...ZONE })
  @IsOptional()
  @IsString()
  @MaxLength(MAX_ZONE_CHARS)
  timezone?: string | null;

  @ApiPropertyOptional({ type: 'string', nullable: true, ...MISSED })
  @IsOptional()
  @IsIn(MISSED_RUN_POLICIES)
  missed_run_policy?: MissedRunPolicy | null;
}

/** Members that can be changed later as well. */
class MutableMembers {
  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    maxLength: MAX_PROMPT_CHARS,
    description:
      'The task of its runs; `{{key}}` stands for what an invocation, a clock or an event fills in. Blank is none.',
  })
  @IsOptional()
  @IsString()
  @MaxLength(MAX_PROMPT_CHARS)
  task_template?: string | null;

  @ApiPropertyOptional({
    type: 'boolean',
    nullable: true,
    description: 'Whether an invocation may bring its own task.',
  })
  @IsOptional()
  @IsBoolean()
  allow_task_override?: boolean | null;

  @ApiPropertyOptional({
    type: 'boolean',
    nullable: true,
    description: 'Whether an invocation may choose another ref or commit of the same repository.',
  })
  @IsOptional()
  @IsBoolean()
  allow_workspace_override?: boolean | null;

  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    enum: [...CONCURRENCY_POLICIES, null],
    description: 'What happens to a new run while another one of the trigger is not over.',
  })
  @IsOptional()
  @IsIn(CONCURRENCY_POLICIES)
  concurrency_policy?: ConcurrencyPolicy | null;

  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    maxLength: MAX_URL_CHARS,
    description: 'Where the signed result of each run goes.',
  })
  @IsOptional()
  @IsString()
  @MaxLength(MAX_URL_CHARS)
  callback_url?: string | null;
}

/** What starts runs of an agent (docs/triggers.md). With a schedule it is a clock, with a connection it listens to events. */
export class CreateTrigger extends MutableMembers {
  @ApiProperty({ minLength: 1, maxLength: 255, description: 'Name or id of the agent.' })
  @IsString()
  @MinLength(1)
  @MaxLength(255)
  agent!: string;

  @ApiProperty({
    minLength: 1,
    maxLength: MAX_NAME_CHARS,
    pattern: NOT_BLANK,
    description: 'One line, unique in the organization; it shows in comments and checks.',
  })
  @IsString()
  @MaxLength(MAX_NAME_CHARS)
  @Matches(new RegExp(NOT_BLANK), { message: 'name must not be blank' })
  name!: string;

  @ApiPropertyOptional({
    type: 'string',
    format: 'uuid',
    nullable: true,
    description: 'The revision of the agent that runs, however many follow; else the latest one.',
  })
  @IsOptional()
  @IsUUID('loose')
  pinned_revision_id?: string | null;

  @ApiPropertyOptional({
    type: 'boolean',
    nullable: true,
    default: false,
    description: 'No approval ever waits: what would ask is decided at once.',
  })
  @IsOptional()
  @IsBoolean()
  autonomous?: boolean | null;

  @ApiPropertyOptional({
    type: 'boolean',
    nullable: true,
    default: false,
    description: 'Run a model without a known price although a cost cap is in force.',
  })
  @IsOptional()
  @IsBoolean()
  allow_unpriced?: boolean | null;

  @ApiPropertyOptional({
    type: BudgetsInput,
    nullable: true,
    description: 'Can only tighten what the revision and the policy allow.',
  })
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => BudgetsInput)
  budgets?: BudgetsInput | null;

  @ApiPropertyOptional({
    type: WorkspaceBody,
    nullable: true,
    description: "Else the revision's default. An upload is for one run and refused; `local_copy` is for the operator.",
  })
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => WorkspaceBody)
  workspace?: WorkspaceBody | null;

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'string' },
    nullable: true,
    description: 'Keep-list of bundles that the revision has; an empty list strips all.',
  })
  @IsOptional()
  @IsArray()
  @IsString({ each: true })
  capabilities?: string[] | null;

  @ApiPropertyOptional({ type: ScheduleInput, nullable: true, description: 'Makes it a clock; not with `connection`.' })
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => ScheduleInput)
  schedule?: ScheduleInput | null;

  @ApiPropertyOptional({
    type: 'string',
    format: 'uuid',
    nullable: true,
    description: 'Makes it listen to events of this connection to a code host.',
  })
  @IsOptional()
  @IsUUID('loose')
  connection?: string | null;

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'string' },
    nullable: true,
    description: 'Each `owner/name`; none is all that the connection sees.',
  })
  @IsOptional()
  @IsArray()
  @IsString({ each: true })
  repositories?: string[] | null;

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'string' },
    nullable: true,
    description: `Of ${EVENT_NAMES.join(', ')}, or the last word of one; opened and reopened when left out.`,
  })
  @IsOptional()
  @IsArray()
  @IsString({ each: true })
  events?: string[] | null;

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'string' },
    nullable: true,
    description: `What is published to the pull request: ${PUBLISH_MODES.join(', ')}; a comment when left out.`,
  })
  @IsOptional()
  @IsArray()
  @IsString({ each: true })
  publish?: string[] | null;
}

/** What of a trigger is to be another; what is left out or null stays. */
export class ChangeTrigger extends MutableMembers {
  @ApiPropertyOptional({ type: 'string', nullable: true, maxLength: MAX_NAME_CHARS, pattern: NOT_BLANK })
  @IsOptional()
  @IsString()
  @MaxLength(MAX_NAME_CHARS)
  @Matches(new RegExp(NOT_BLANK), { message: 'name must not be blank' })
  name?: string | null;

  @ApiPropertyOptional({ type: ScheduleChange, nullable: true, description: 'Of a trigger with a clock alone.' })
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => ScheduleChange)
  schedule?: ScheduleChange | null;
}
