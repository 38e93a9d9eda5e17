import { ApiProperty, ApiPropertyOptional, PartialType } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  IsArray,
  IsObject,
  IsOptional,
  IsString,
  Matches,
  MaxLength,
  MinLength,
  ValidateNested,
} from 'class-validator';
import { MAX_REQUIREMENTS } from '../../domain/connections/requirement.js';
import type { JsonObject } from '../../domain/json.js';
import { MAX_VALUE_BYTES, MAX_VARIABLES } from '../../domain/run/agent-variables.js';
import { ConnectionRequirementBody } from './connection-requirement.dto.js';
import { BudgetsInput } from '../budgets/budgets.dto.js';
import { NetworkBody } from '../sandboxes/network.dto.js';
import { SandboxSizesInput } from '../sandboxes/sandbox-sizes.dto.js';
import { SetupBody } from '../sandboxes/setup.dto.js';
import { WorkspaceBody } from '../workspaces/workspace.dto.js';

/** No address can hold `.` and `..`. */
const NAME = '^(?!\\.{1,2}$)[A-Za-z0-9._-]{1,64}$';
/** A prompt travels in the runner's environment, which holds 512 KiB (docs/design/runs.md). */
export const MAX_PROMPT_CHARS = 524_288;

/** Everything that a revision can say; each member may be left out. */
class RevisionFields {
  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    maxLength: 4096,
    description: 'What people read of the agent; the newest revision that says one counts.',
  })
  @IsOptional()
  @IsString()
  @MaxLength(4096)
  description?: string | null;

  @ApiPropertyOptional({ type: 'string', nullable: true, maxLength: 64, description: 'Id of the harness catalog.' })
  @IsOptional()
  @IsString()
  @MaxLength(64)
  harness?: string | null;

  @ApiPropertyOptional({ type: 'string', nullable: true, maxLength: 255, description: "One of the harness's models." })
  @IsOptional()
  @IsString()
  @MaxLength(255)
  model?: string | null;

  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    maxLength: 512,
    description:
      'Image of the sandboxes on a container engine, made there with `npm run images`; empty takes that of the deployment. Sandboxes of bubblewrap have the programs of their host.',
  })
  @IsOptional()
  @IsString()
  @MaxLength(512)
  runner_image?: string | null;

  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    maxLength: MAX_PROMPT_CHARS,
    description: 'Who the agent is.',
  })
  @IsOptional()
  @IsString()
  @MaxLength(MAX_PROMPT_CHARS)
  system_prompt?: string | null;

  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    maxLength: 1024,
    description: 'Name of a policy; `default` when left out.',
  })
  @IsOptional()
  @IsString()
  @MaxLength(1024)
  policy?: string | null;

  @ApiPropertyOptional({ type: BudgetsInput, nullable: true, description: 'Replaces the budgets as a whole.' })
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => BudgetsInput)
  budgets?: BudgetsInput | null;

  @ApiPropertyOptional({
    type: WorkspaceBody,
    nullable: true,
    description: 'Used when a run gives none; `{"kind":"scratch"}` clears it.',
  })
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => WorkspaceBody)
  default_workspace?: WorkspaceBody | null;

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'string' },
    nullable: true,
    description: 'Bundles as `name` or `name@N`; an empty list clears them.',
  })
  @IsOptional()
  @IsArray()
  @IsString({ each: true })
  capability_bundles?: string[] | null;

  @ApiPropertyOptional({
    type: [ConnectionRequirementBody],
    maxItems: MAX_REQUIREMENTS,
    nullable: true,
    description: 'What a run needs of connected services; an empty list clears them.',
  })
  @IsOptional()
  @IsArray()
  @IsObject({ each: true })
  connection_requirements?: JsonObject[] | null;

  @ApiPropertyOptional({
    type: NetworkBody,
    nullable: true,
    description: 'What runs may reach, within the policy; `{"mode":"offline"}` clears it.',
  })
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => NetworkBody)
  network?: NetworkBody | null;

  @ApiPropertyOptional({
    type: SetupBody,
    nullable: true,
    description: 'Replaces the setup as a whole; `{"commands":[]}` clears it.',
  })
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => SetupBody)
  setup?: SetupBody | null;

  @ApiPropertyOptional({
    type: SandboxSizesInput,
    nullable: true,
    description: 'Sizes of the sandbox; the rest are the deployment defaults.',
  })
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => SandboxSizesInput)
  sandbox?: SandboxSizesInput | null;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: 'string', maxLength: MAX_VALUE_BYTES },
    maxProperties: MAX_VARIABLES,
    nullable: true,
    description:
      'Variables of tool processes, which are no secrets: they are shown and frozen into every run. Replaces them as a whole; `{}` clears them.',
  })
  @IsOptional()
  @IsObject()
  env?: Record<string, string> | null;
}

export class CreateAgent extends RevisionFields {
  @ApiProperty({ minLength: 1, maxLength: 64, pattern: NAME })
  @IsString()
  @MinLength(1)
  @Matches(new RegExp(NAME), { message: 'name must be 1 to 64 of A-Z a-z 0-9 . _ -, and not . or ..' })
  name!: string;
}

export class AddRevision extends PartialType(CreateAgent) {}
