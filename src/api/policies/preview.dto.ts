import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { Allow, ArrayMaxSize, IsArray, IsObject, IsOptional, IsString, MaxLength, ValidateNested } from 'class-validator';
import type { JsonObject, JsonValue } from '../../domain/json.js';
import { APPROVAL_SCOPES } from '../../domain/policy/document.js';
import { ANY_JSON } from '../openapi/any-json.js';
import { BudgetsView } from '../budgets/budgets.dto.js';
import { MatrixRowView, VERDICTS } from './matrix.dto.js';
import { AutonomySummaryView } from './policies.dto.js';

/** Calls that one preview judges. */
const MAX_CALLS = 1000;

class PreviewCall {
  @ApiProperty()
  @IsString()
  @MaxLength(1024)
  tool!: string;

  @ApiPropertyOptional({ ...ANY_JSON, description: 'The input as the harness would send it, usually an object.' })
  @Allow()
  input?: JsonValue;
}

export class PreviewPolicy {
  @ApiProperty({ type: 'object', additionalProperties: true, description: 'The whole draft.' })
  @IsObject()
  content!: JsonObject;

  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    description: "An existing policy, whose agents' `mcp__*` tools join the matrix. An unknown one adds none.",
  })
  @IsOptional()
  @IsString()
  name?: string | null;

  @ApiPropertyOptional({
    type: [PreviewCall],
    nullable: true,
    maxItems: MAX_CALLS,
    description: 'Tool calls to judge under the draft; each is answered in `explain`, in order.',
  })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(MAX_CALLS)
  @ValidateNested({ each: true })
  @Type(() => PreviewCall)
  calls?: PreviewCall[] | null;
}

class ShellPart {
  @ApiProperty({ description: 'Source text, at most 500 characters.' })
  text!: string;

  @ApiProperty({ enum: ['command', 'write', 'read'] })
  kind!: string;

  @ApiProperty({ type: 'string', nullable: true, description: 'Program of a command, path of a redirect.' })
  subject!: string | null;

  @ApiProperty({ type: 'string', nullable: true, description: 'The allow prefix that covers it.' })
  covered_by!: string | null;
}

class DecisionExplanation {
  @ApiProperty({
    description:
      'What decided: default_action, rule_action, deny_regex, allow_prefix, no_prefix, no_command, not_analysable, redirect, ' +
      'path_deny, path_allow, path_outside, no_path or invalid_policy.',
  })
  decided_by!: string;

  @ApiProperty({ type: 'integer', nullable: true, description: 'Index in `tools`; null when no rule matched.' })
  rule!: number | null;

  @ApiProperty({ type: 'string', nullable: true, description: 'The matcher of that rule that hit.' })
  matcher!: string | null;

  @ApiProperty({ type: 'string', nullable: true, description: 'Deny pattern, allow prefix or glob that decided.' })
  pattern!: string | null;

  @ApiProperty({ type: 'string', nullable: true, description: 'Part of the command, or path, that decided.' })
  subject!: string | null;

  @ApiProperty({ type: [ShellPart], description: 'Parts of the command, in the order of the text.' })
  parts!: ShellPart[];

  @ApiProperty({ type: 'integer' })
  parts_omitted!: number;
}

class QuestionTerms {
  @ApiProperty({ type: 'string', nullable: true })
  risk!: string | null;

  @ApiProperty({ type: 'integer' })
  ttl_secs!: number;

  @ApiProperty({ enum: APPROVAL_SCOPES })
  scope!: string;

  @ApiProperty({ type: [String], nullable: true, description: 'What a grant for the session would cover.' })
  scope_keys!: string[] | null;

  @ApiProperty({ type: 'string', nullable: true, description: 'The keys as they stand on an approval.' })
  scope_key!: string | null;

  @ApiProperty({ type: 'string', nullable: true, description: 'Why an approval counts for one call alone; null with keys.' })
  once_because!: string | null;
}

/** What the draft says of one call, and why. */
export class ExplainedCall {
  @ApiProperty()
  tool!: string;

  @ApiProperty({ enum: VERDICTS, description: 'In a supervised run.' })
  verdict!: string;

  @ApiProperty({ enum: ['allow', 'deny'], description: 'In an autonomous run.' })
  autonomous_verdict!: string;

  @ApiProperty({ type: 'string', nullable: true, description: 'For a person; null on an allow.' })
  reason!: string | null;

  @ApiProperty({ type: QuestionTerms, nullable: true, description: 'With `require_approval`.' })
  approval!: QuestionTerms | null;

  @ApiProperty({ type: DecisionExplanation })
  explanation!: DecisionExplanation;
}

export class PolicyPreview {
  @ApiProperty({ type: 'object', additionalProperties: true, description: 'The draft with every default filled in.' })
  content!: object;

  @ApiProperty({ type: AutonomySummaryView })
  autonomy_summary!: AutonomySummaryView;

  @ApiProperty({ type: 'object', additionalProperties: true })
  defaults!: object;

  @ApiProperty({ type: BudgetsView })
  budgets!: object;

  @ApiProperty({ type: 'object', additionalProperties: true })
  approvals!: object;

  @ApiProperty({ type: 'object', additionalProperties: true })
  egress!: object;

  @ApiProperty({ type: [MatrixRowView] })
  matrix!: MatrixRowView[];

  @ApiPropertyOptional({ type: [ExplainedCall], description: 'With `calls`.' })
  explain?: ExplainedCall[];
}
