import type { AutonomyMode, VerdictKind } from '../policy/verdict.js';

/** A past run as a simulation sees it. */
export interface RecordedRun {
  runId: string;
  agent: string;
  autonomy: AutonomyMode;
  policyVersion: number | null;
}

/** How a call was answered when it happened. */
export interface RecordedAnswer {
  answer: 'allow' | 'deny' | 'pending' | 'undecided';
  /** Who answered: `source` of its `tool.decision`, or `expired` and `withheld`; null while undecided. */
  source: string | null;
}

/** A gated call of the record, without its input. */
export interface RecordedCall {
  run: RecordedRun;
  toolCallId: string;
  tool: string;
  summary: string;
  /** RFC 3339. */
  requestedAt: string;
  recorded: RecordedAnswer;
}

/** Columns of the registry that say how a call was answered. */
export interface AnsweredRow {
  status: string;
  source: string | null;
  withheld: boolean;
}

export function recordedAnswer({ status, source, withheld }: AnsweredRow): RecordedAnswer {
  if (withheld) return { answer: 'deny', source: 'withheld' };
  switch (status) {
    case 'auto_allowed':
      return { answer: 'allow', source };
    case 'auto_denied':
      return { answer: 'deny', source };
    case 'approved_once':
    case 'approved_session':
      return { answer: 'allow', source: 'human' };
    case 'denied':
      return { answer: 'deny', source: 'human' };
    case 'expired':
      return { answer: 'deny', source: 'expired' };
    case 'pending':
      return { answer: 'pending', source: null };
    default:
      return { answer: 'undecided', source: null };
  }
}

const REASONS: Readonly<Record<string, string>> = {
  human: 'a human answered the question',
  expired: 'nobody answered the question in time',
  withheld: 'what the human was shown had changed before the call was released',
  session_scope: 'a session grant of the run answered the question',
  session_terminal: 'the run had stopped before the answer',
  trust_tier: 'the run was read-only',
  capability: 'the tool was not among the frozen ones',
  schema: 'the arguments failed the frozen schema, or the body was no call',
  binding: 'the tool had lost its binding',
  budget: 'the tool calls of the run were used up',
  policy:
    'the gate refused for a reason that no rule gives (an input that cannot be shown, too many questions), or by other rules of evaluation',
  autonomy_rewrite: 'it was judged by other rules of evaluation',
};

/** Why the record may differ from the frozen policy alone; null where it does not. */
export function whyRecordedDiffers(baseline: VerdictKind, { answer, source }: RecordedAnswer): string | null {
  if (answer === baseline) return null;
  if (answer === 'pending') return 'the question still waits for an answer';
  if (answer === 'undecided') return 'the call was registered and never answered';
  return REASONS[source ?? ''] ?? 'another stage of the gate answered';
}
