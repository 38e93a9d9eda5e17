import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsInt,
  IsISO8601,
  IsObject,
  IsString,
  IsUUID,
  MaxLength,
  Min,
  MinLength,
} from 'class-validator';
import type { ChangeExample, ChangeSummary } from '../../domain/simulation/change-report.js';
import { MayBeLeftOut } from '../http/left-out.js';
import {
  AffectedRunView,
  ChangeGroupView,
  LeftOutGroups,
  RecordedComparison,
  SimulationTotals,
  TransitionView,
  UnknownCalls,
} from './simulation-report.dto.js';

/** Calls that a simulation examines. */
export const DEFAULT_CALLS = 10_000;
export const MAX_CALLS = 50_000;

/** A draft and the recorded calls that it is tried against. */
export class SimulatePolicy {
  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: 'The draft as a document; this or `yaml`. Its name need not be that of the policy.',
  })
  @MayBeLeftOut()
  @IsObject()
  content?: object;

  @ApiPropertyOptional({ description: 'The draft as YAML; this or `content`.' })
  @MayBeLeftOut()
  @IsString()
  yaml?: string;

  @ApiPropertyOptional({ minLength: 1, maxLength: 255, description: 'Only runs of this agent: its name or id.' })
  @MayBeLeftOut()
  @IsString()
  @MinLength(1)
  @MaxLength(255)
  agent?: string;

  @ApiPropertyOptional({ format: 'date-time', description: 'Only calls asked at this time or later.' })
  @MayBeLeftOut()
  @IsISO8601({ strict: true })
  since?: string;

  @ApiPropertyOptional({ format: 'date-time', description: 'Only calls asked before this time.' })
  @MayBeLeftOut()
  @IsISO8601({ strict: true })
  until?: string;

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'string', format: 'uuid' },
    minItems: 1,
    maxItems: 100,
    description: 'Only these runs.',
  })
  @MayBeLeftOut()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(100)
  @IsUUID('loose', { each: true })
  session_ids?: string[];

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'string', minLength: 1, maxLength: 256 },
    minItems: 1,
    maxItems: 100,
    description: 'Only calls of these tools; a trailing `*` means "starts with", as in a rule.',
  })
  @MayBeLeftOut()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(100)
  @IsString({ each: true })
  @MinLength(1, { each: true })
  @MaxLength(256, { each: true })
  tools?: string[];

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    description: `Most calls to examine, those of the newest runs first; ${DEFAULT_CALLS} when left out. A number above ${MAX_CALLS} is clamped to ${MAX_CALLS}.`,
  })
  @MayBeLeftOut()
  @IsInt()
  @Min(1)
  limit?: number;

  @ApiPropertyOptional({
    description: 'Calls of all runs of the organization instead of those that used this policy.',
  })
  @MayBeLeftOut()
  @IsBoolean()
  all_policies?: boolean;
}

class SimulatedPolicy {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty()
  name!: string;
}

class SimulatedDraft {
  @ApiProperty()
  name!: string;

  @ApiProperty({ description: '`sha256:` and 64 hexadecimal digits over the canonical form of the draft.' })
  digest!: string;

  @ApiProperty({ type: 'integer', description: 'Version of the evaluation rules that the draft was judged by.' })
  policy_engine!: number;
}

class SimulationLimits {
  @ApiProperty({ type: 'integer', description: 'Most calls that were to be examined.' })
  calls!: number;

  @ApiProperty({
    type: 'string',
    enum: ['limit', 'time', null],
    nullable: true,
    description: 'Why matching calls were not examined; null when all were.',
  })
  stopped!: 'limit' | 'time' | null;

  @ApiProperty({ type: 'integer', description: 'Matching calls that were not examined; counted up to 1,000,000.' })
  not_examined!: number;
}

/** What a draft would change (docs/policy-history.md). Texts of calls are redacted like the lines of the ledger. */
export class SimulationView {
  @ApiProperty({ type: SimulatedPolicy })
  policy!: SimulatedPolicy;

  @ApiProperty({ type: SimulatedDraft })
  draft!: SimulatedDraft;

  @ApiProperty({ type: 'integer', description: 'Days for which views of calls are kept; 0 when none are.' })
  history_days!: number;

  @ApiProperty({ type: SimulationLimits })
  limits!: SimulationLimits;

  @ApiProperty({ type: SimulationTotals })
  totals!: SimulationTotals;

  @ApiProperty({ type: UnknownCalls })
  unknown!: UnknownCalls;

  @ApiProperty({ type: [TransitionView], description: 'Changed calls by both verdicts.' })
  transitions!: TransitionView[];

  @ApiProperty({
    type: [ChangeGroupView],
    description: 'Calls that would change alike: what loosens first, then by count.',
  })
  changes!: ChangeGroupView[];

  @ApiProperty({ type: LeftOutGroups, description: 'Groups beyond those listed.' })
  changes_left_out!: LeftOutGroups;

  @ApiProperty({ type: [AffectedRunView], description: 'Runs with changed calls, most first.' })
  runs!: AffectedRunView[];

  @ApiProperty({ type: 'integer', description: 'Affected runs beyond those listed.' })
  runs_left_out!: number;

  @ApiProperty({ type: RecordedComparison })
  recorded!: RecordedComparison;
}

export interface SimulationFindings {
  policy: SimulatedPolicy;
  draft: SimulatedDraft;
  summary: ChangeSummary;
  /** Place of each example in the ledger of its run, by run and call. */
  seqs: ReadonlyMap<string, number>;
  limits: SimulationLimits;
  historyDays: number;
}

export function toSimulationView({ summary, seqs, historyDays, ...rest }: SimulationFindings): SimulationView {
  const { changes, runs, ...counts } = summary;
  return {
    ...rest,
    history_days: historyDays,
    ...counts,
    changes: changes.map((group) => ({ ...group, examples: group.examples.map((one) => locate(one, seqs)) })),
    runs: runs.map((run) => ({ ...run, path: runPath(run.session_id) })),
  };
}

function locate(example: ChangeExample, seqs: ReadonlyMap<string, number>): ChangeGroupView['examples'][number] {
  const { session_id: id, tool_call_id: call } = example;
  const seq = seqs.get(`${id}:${call}`) ?? null;
  const events = seq === null ? null : `${runPath(id)}/events?after=${seq - 1}`;
  return { ...example, event_seq: seq, links: { run: runPath(id), events } };
}

function runPath(runId: string): string {
  return `/v1/sessions/${runId}`;
}
