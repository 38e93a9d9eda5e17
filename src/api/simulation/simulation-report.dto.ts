import { ApiProperty } from '@nestjs/swagger';
import type { DecidedBy, VerdictKind } from '../../domain/policy/verdict.js';
import { REPORT_BOUNDS, type ChangeTotals } from '../../domain/simulation/change-report.js';
import type { ChangeDirection, UnknownCause } from '../../domain/simulation/judge-twice.js';
import type { RecordedAnswer } from '../../domain/simulation/recorded-call.js';

const VERDICTS = ['allow', 'require_approval', 'deny'];
const AUTONOMY = ['supervised', 'autonomous'];
const ANSWERS = ['allow', 'deny', 'pending', 'undecided'];

export class SimulationTotals implements ChangeTotals {
  @ApiProperty({ type: 'integer', description: 'Calls that were examined: unchanged, changed and unknown ones.' })
  calls!: number;

  @ApiProperty({ type: 'integer', description: 'Runs that these calls are of.' })
  runs!: number;

  @ApiProperty({ type: 'integer' })
  unchanged!: number;

  @ApiProperty({ type: 'integer' })
  changed!: number;

  @ApiProperty({ type: 'integer', description: 'Calls without a view that could be judged; never guessed.' })
  unknown!: number;

  @ApiProperty({ type: 'integer', description: 'Of the changed: to a less strict verdict.' })
  loosened!: number;

  @ApiProperty({ type: 'integer', description: 'Of the changed: to a stricter verdict.' })
  tightened!: number;

  @ApiProperty({ type: 'integer', description: 'Of the unchanged: asked before and after, on other terms.' })
  asked_differently!: number;
}

export class UnknownCalls implements Record<UnknownCause, number> {
  @ApiProperty({ type: 'integer', description: 'Older than what is kept.' })
  expired!: number;

  @ApiProperty({
    type: 'integer',
    description: 'No view was kept: history off, no sealing key, too large, no readable call, or lost in a crash.',
  })
  not_kept!: number;

  @ApiProperty({ type: 'integer', description: 'The view does not open.' })
  unreadable!: number;

  @ApiProperty({ type: 'integer', description: 'The policy that the run froze cannot be evaluated by this version.' })
  policy_unreadable!: number;
}

export class TransitionView {
  @ApiProperty({ type: 'string', enum: VERDICTS })
  from!: VerdictKind;

  @ApiProperty({ type: 'string', enum: VERDICTS })
  to!: VerdictKind;

  @ApiProperty({ type: 'integer' })
  calls!: number;
}

class DeciderView {
  @ApiProperty({ type: 'string', description: 'What decided, as in an explanation.' })
  decided_by!: DecidedBy;

  @ApiProperty({ type: 'string', nullable: true, description: 'The matcher of the rule that hit.' })
  matcher!: string | null;

  @ApiProperty({ type: 'string', nullable: true, description: 'Deny pattern, allow prefix or glob that decided.' })
  pattern!: string | null;
}

class DraftDeciderView extends DeciderView {
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Index in `tools` of the draft; null for the default action.',
  })
  rule!: number | null;
}

class SimulatedPart {
  @ApiProperty()
  text!: string;

  @ApiProperty({ type: 'string', enum: ['command', 'write', 'read'] })
  kind!: 'command' | 'write' | 'read';

  @ApiProperty({ type: 'string', nullable: true })
  subject!: string | null;

  @ApiProperty({ type: 'string', nullable: true })
  covered_by!: string | null;
}

class SimulatedExplanation extends DraftDeciderView {
  @ApiProperty({ type: 'string', nullable: true, description: 'The part of the command or the path that decided.' })
  subject!: string | null;

  @ApiProperty({ type: [SimulatedPart] })
  parts!: SimulatedPart[];

  @ApiProperty({ type: 'integer', description: 'Parts that are not listed.' })
  parts_omitted!: number;
}

class SimulatedVerdict {
  @ApiProperty({ type: 'string', enum: VERDICTS, description: "In the run's own mode." })
  verdict!: VerdictKind;

  @ApiProperty({ type: 'string', enum: VERDICTS, description: 'What a supervised run would have got.' })
  original_verdict!: VerdictKind;

  @ApiProperty({ type: 'string', nullable: true })
  reason!: string | null;

  @ApiProperty({ type: 'string', nullable: true, description: 'What a session grant would cover.' })
  scope_key!: string | null;

  @ApiProperty({ type: 'integer', nullable: true, description: 'Seconds until an unanswered question denies.' })
  ttl_secs!: number | null;

  @ApiProperty({ type: SimulatedExplanation })
  explanation!: SimulatedExplanation;
}

class RecordedAnswerView implements RecordedAnswer {
  @ApiProperty({ type: 'string', enum: ANSWERS })
  answer!: RecordedAnswer['answer'];

  @ApiProperty({ type: 'string', nullable: true, description: 'Who answered.' })
  source!: string | null;
}

class ExampleAnswer extends RecordedAnswerView {
  @ApiProperty({ type: 'string', nullable: true, description: 'Why the record says otherwise than the frozen policy.' })
  why!: string | null;
}

class ExampleLinks {
  @ApiProperty({ description: 'Path of the run in this interface.' })
  run!: string;

  @ApiProperty({ type: 'string', nullable: true, description: 'Path of its events from this call on.' })
  events!: string | null;
}

class ChangeExampleView {
  @ApiProperty({ format: 'uuid' })
  session_id!: string;

  @ApiProperty()
  tool_call_id!: string;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Seq of its `tool.requested` in the ledger of the run.',
  })
  event_seq!: number | null;

  @ApiProperty({ type: ExampleLinks })
  links!: ExampleLinks;

  @ApiProperty({ description: 'Name of the agent.' })
  agent!: string;

  @ApiProperty({ type: 'string', enum: AUTONOMY })
  autonomy!: 'supervised' | 'autonomous';

  @ApiProperty({ type: 'integer', nullable: true })
  policy_version!: number | null;

  @ApiProperty({ format: 'date-time' })
  requested_at!: string;

  @ApiProperty({ description: 'The call in one line.' })
  summary!: string;

  @ApiProperty({ type: ExampleAnswer, description: 'How it was answered when it happened.' })
  recorded!: ExampleAnswer;

  @ApiProperty({ type: SimulatedVerdict, description: 'By the policy that its run froze.' })
  before!: SimulatedVerdict;

  @ApiProperty({ type: SimulatedVerdict, description: 'By the draft.' })
  after!: SimulatedVerdict;
}

export class ChangeGroupView {
  @ApiProperty({ type: 'string', enum: VERDICTS })
  from!: VerdictKind;

  @ApiProperty({ type: 'string', enum: VERDICTS })
  to!: VerdictKind;

  @ApiProperty({ type: 'string', enum: ['loosened', 'tightened'] })
  direction!: ChangeDirection;

  @ApiProperty()
  tool!: string;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'What the calls have in common: allow prefixes or programs of a command, upper folders of a path.',
  })
  shape!: string | null;

  @ApiProperty({ type: DeciderView })
  before!: DeciderView;

  @ApiProperty({ type: DraftDeciderView })
  after!: DraftDeciderView;

  @ApiProperty({ type: 'integer' })
  calls!: number;

  @ApiProperty({ type: 'integer' })
  runs!: number;

  @ApiProperty({
    type: 'array',
    items: { type: 'string', format: 'uuid' },
    description: `At most ${REPORT_BOUNDS.runsOfGroup} of these runs.`,
  })
  run_ids!: string[];

  @ApiProperty({ type: [ChangeExampleView], description: `At most ${REPORT_BOUNDS.examples}.` })
  examples!: ChangeExampleView[];
}

export class LeftOutGroups {
  @ApiProperty({ type: 'integer' })
  groups!: number;

  @ApiProperty({ type: 'integer' })
  calls!: number;
}

export class AffectedRunView {
  @ApiProperty({ format: 'uuid' })
  session_id!: string;

  @ApiProperty({ description: 'Path of the run in this interface.' })
  path!: string;

  @ApiProperty({ description: 'Name of the agent.' })
  agent!: string;

  @ApiProperty({ type: 'string', enum: AUTONOMY })
  autonomy!: 'supervised' | 'autonomous';

  @ApiProperty({ type: 'integer', nullable: true })
  policy_version!: number | null;

  @ApiProperty({ type: 'integer' })
  calls!: number;

  @ApiProperty({ type: 'integer' })
  changed!: number;

  @ApiProperty({ type: 'integer' })
  loosened!: number;

  @ApiProperty({ type: 'integer' })
  tightened!: number;

  @ApiProperty({ type: 'integer' })
  unknown!: number;
}

class RecordedDifferenceView extends RecordedAnswerView {
  @ApiProperty({ type: 'string', enum: VERDICTS, description: 'What the frozen policy alone says.' })
  baseline!: VerdictKind;

  @ApiProperty()
  why!: string;

  @ApiProperty({ type: 'integer' })
  calls!: number;
}

/** How the baseline of the comparison, the frozen policy alone, compares with how calls were answered. */
export class RecordedComparison {
  @ApiProperty({ type: 'integer', description: 'Calls that were answered as the frozen policy says.' })
  same!: number;

  @ApiProperty({ type: [RecordedDifferenceView] })
  different!: RecordedDifferenceView[];
}
