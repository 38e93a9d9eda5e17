import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  IsArray,
  IsBoolean,
  IsObject,
  IsOptional,
  IsString,
  Matches,
  MaxLength,
  MinLength,
  ValidateNested,
} from 'class-validator';
import type { JsonObject } from '../../domain/json.js';
import { MAX_PROMPT_CHARS } from '../agents/agents.dto.js';
import { BudgetsInput } from '../budgets/budgets.dto.js';
import { NetworkBody } from '../sandboxes/network.dto.js';
import { WorkspaceBody } from '../workspaces/workspace.dto.js';
import { IsLabels, LABEL_NAME_PATTERN, MAX_LABEL_VALUE, MAX_LABELS } from '../../domain/run/labels.js';

const LABELS = {
  type: 'object',
  propertyNames: { pattern: LABEL_NAME_PATTERN },
  additionalProperties: { type: 'string', maxLength: MAX_LABEL_VALUE },
  maxProperties: MAX_LABELS,
} as const;
const NOT_BLANK = '\\S';

/** What a run is created from (docs/design/runs.md). */
export class CreateSession {
  @ApiProperty({ minLength: 1, maxLength: 255, description: 'Name or id of the agent; its latest revision runs.' })
  @IsString()
  @MinLength(1)
  @MaxLength(255)
  agent!: string;

  @ApiProperty({
    minLength: 1,
    maxLength: MAX_PROMPT_CHARS,
    pattern: NOT_BLANK,
    description: 'What to do this time; not blank.',
  })
  @IsString()
  @MaxLength(MAX_PROMPT_CHARS)
  @Matches(new RegExp(NOT_BLANK), { message: 'task must not be blank' })
  task!: string;

  @ApiPropertyOptional({
    type: WorkspaceBody,
    nullable: true,
    description: "Else the revision's default, else an empty folder.",
  })
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => WorkspaceBody)
  workspace?: WorkspaceBody | null;

  @ApiPropertyOptional({
    type: WorkspaceBody,
    nullable: true,
    deprecated: true,
    description: 'Older name of `workspace`; not both.',
  })
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => WorkspaceBody)
  repo?: WorkspaceBody | null;

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
    type: 'array',
    items: { type: 'string' },
    nullable: true,
    description: 'Keep-list of bundle names; unknown names are ignored, an empty list strips all.',
  })
  @IsOptional()
  @IsArray()
  @IsString({ each: true })
  capabilities?: string[] | null;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'Slot name to connection id; a slot that the agent does not declare is refused.',
  })
  @IsOptional()
  @IsObject()
  bindings?: JsonObject | null;

  @ApiPropertyOptional({
    type: NetworkBody,
    nullable: true,
    description: "Less than the agent's network, which the run has without it.",
  })
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => NetworkBody)
  network?: NetworkBody | null;

  @ApiPropertyOptional({
    ...LABELS,
    nullable: true,
    description: `At most ${MAX_LABELS}; names are 1 to 63 of A-Z a-z 0-9 . _ / -.`,
  })
  @IsOptional()
  @IsLabels()
  labels?: Record<string, string> | null;
}
