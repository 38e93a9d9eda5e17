import type { VerdictKind } from '../policy/verdict.js';
import { callShape } from './call-shape.js';
import {
  asksDifferently,
  directionOf,
  UNKNOWN_CAUSES,
  type ChangeDirection,
  type JudgedCall,
  type UnknownCall,
  type UnknownCause,
} from './judge-twice.js';
import { whyRecordedDiffers, type RecordedAnswer, type RecordedCall, type RecordedRun } from './recorded-call.js';
import { deciderOf, showText, showVerdict, type Decider, type ShownVerdict } from './shown-verdict.js';

/** How many of each an answer lists; the rest is only counted. */
export const REPORT_BOUNDS = { groups: 100, examples: 3, runsOfGroup: 10, runs: 100 } as const;

export interface ChangeTotals {
  /** Calls that were examined, and their runs. */
  calls: number;
  runs: number;
  unchanged: number;
  changed: number;
  unknown: number;
  loosened: number;
  tightened: number;
  /** Among the unchanged: calls that ask before and after, on other terms. */
  asked_differently: number;
}

export interface ChangeExample {
  session_id: string;
  tool_call_id: string;
  agent: string;
  autonomy: RecordedRun['autonomy'];
  policy_version: number | null;
  requested_at: string;
  summary: string;
  recorded: RecordedAnswer & { why: string | null };
  before: ShownVerdict;
  after: ShownVerdict;
}

/** Calls that would change alike. */
export interface ChangeGroup {
  from: VerdictKind;
  to: VerdictKind;
  direction: ChangeDirection;
  tool: string;
  shape: string | null;
  before: Decider;
  after: Decider & { rule: number | null };
  calls: number;
  runs: number;
  /** The runs with the newest ids. */
  run_ids: string[];
  examples: ChangeExample[];
}

export interface AffectedRun {
  session_id: string;
  agent: string;
  autonomy: RecordedRun['autonomy'];
  policy_version: number | null;
  calls: number;
  changed: number;
  loosened: number;
  tightened: number;
  unknown: number;
}

/** Calls whose answer was not that of the frozen policy alone. */
export interface RecordedDifference extends RecordedAnswer {
  baseline: VerdictKind;
  why: string;
  calls: number;
}

export interface ChangeSummary {
  totals: ChangeTotals;
  unknown: Record<UnknownCause, number>;
  transitions: { from: VerdictKind; to: VerdictKind; calls: number }[];
  changes: ChangeGroup[];
  changes_left_out: { groups: number; calls: number };
  runs: AffectedRun[];
  runs_left_out: number;
  recorded: { same: number; different: RecordedDifference[] };
}

interface OpenGroup extends Omit<ChangeGroup, 'runs' | 'run_ids'> {
  sessions: Set<string>;
}

/** Gathers what a draft would change. The same calls in the same order give the same report. */
export class ChangeReport {
  private readonly totals: ChangeTotals = {
    calls: 0,
    runs: 0,
    unchanged: 0,
    changed: 0,
    unknown: 0,
    loosened: 0,
    tightened: 0,
    asked_differently: 0,
  };
  private readonly unknown = Object.fromEntries(UNKNOWN_CAUSES.map((cause) => [cause, 0])) as Record<
    UnknownCause,
    number
  >;
  private readonly groups = new Map<string, OpenGroup>();
  private readonly runs = new Map<string, AffectedRun>();
  private readonly differences = new Map<string, RecordedDifference>();
  private sameAsRecorded = 0;

  add(seen: JudgedCall | UnknownCall): void {
    const run = this.runOf(seen.call.run);
    this.totals.calls += 1;
    run.calls += 1;
    if (seen.kind === 'unknown') {
      this.totals.unknown += 1;
      this.unknown[seen.cause] += 1;
      run.unknown += 1;
      return;
    }
    this.compareWithRecord(seen);
    const direction = directionOf(seen);
    if (direction === null) {
      this.totals.unchanged += 1;
      if (asksDifferently(seen)) this.totals.asked_differently += 1;
      return;
    }
    this.totals.changed += 1;
    this.totals[direction] += 1;
    run.changed += 1;
    run[direction] += 1;
    this.addToGroup(seen, direction);
  }

  finish(): ChangeSummary {
    const groups = [...this.groups].sort(byWeight).map(([, group]) => group);
    const listed = groups.slice(0, REPORT_BOUNDS.groups);
    const left = groups.slice(REPORT_BOUNDS.groups);
    const affected = [...this.runs.values()].filter((run) => run.changed > 0).sort(byChanges);
    return {
      totals: { ...this.totals, runs: this.runs.size },
      unknown: this.unknown,
      transitions: transitionsOf(groups),
      changes: listed.map(closeGroup),
      changes_left_out: { groups: left.length, calls: left.reduce((sum, group) => sum + group.calls, 0) },
      runs: affected.slice(0, REPORT_BOUNDS.runs),
      runs_left_out: Math.max(0, affected.length - REPORT_BOUNDS.runs),
      recorded: { same: this.sameAsRecorded, different: sortByKey(this.differences) },
    };
  }

  private runOf({ runId, agent, autonomy, policyVersion }: RecordedRun): AffectedRun {
    const known = this.runs.get(runId);
    if (known !== undefined) return known;
    const counts = { calls: 0, changed: 0, loosened: 0, tightened: 0, unknown: 0 };
    const run = { session_id: runId, agent, autonomy, policy_version: policyVersion, ...counts };
    this.runs.set(runId, run);
    return run;
  }

  private compareWithRecord({ call: { recorded }, before }: JudgedCall): void {
    const why = whyRecordedDiffers(before.verdict, recorded);
    if (why === null) {
      this.sameAsRecorded += 1;
      return;
    }
    const key = JSON.stringify([before.verdict, recorded.answer, recorded.source]);
    const difference = this.differences.get(key) ?? { baseline: before.verdict, ...recorded, why, calls: 0 };
    difference.calls += 1;
    this.differences.set(key, difference);
  }

  private addToGroup(judged: JudgedCall, direction: ChangeDirection): void {
    const { call, view, before, after } = judged;
    const shape = callShape(view, before, after);
    const deciders = { before: deciderOf(before), after: { ...deciderOf(after), rule: after.explanation.rule } };
    const key = JSON.stringify([before.verdict, after.verdict, call.tool, shape, deciders]);
    let group = this.groups.get(key);
    if (group === undefined) {
      const [from, to] = [before.verdict, after.verdict];
      const head = { from, to, direction, tool: call.tool, shape: showText(shape), ...deciders };
      group = { ...head, calls: 0, sessions: new Set(), examples: [] };
      this.groups.set(key, group);
    }
    group.calls += 1;
    group.sessions.add(call.run.runId);
    if (group.examples.length < REPORT_BOUNDS.examples) addExample(group.examples, exampleOf(call, judged));
  }
}

/** The same line three times would show no more than once. */
function addExample(examples: ChangeExample[], example: ChangeExample): void {
  if (!examples.some(({ summary }) => summary === example.summary)) examples.push(example);
}

function exampleOf(call: RecordedCall, { before, after }: JudgedCall): ChangeExample {
  const { run, recorded } = call;
  return {
    session_id: run.runId,
    tool_call_id: call.toolCallId,
    agent: run.agent,
    autonomy: run.autonomy,
    policy_version: run.policyVersion,
    requested_at: call.requestedAt,
    summary: showText(call.summary),
    recorded: { ...recorded, why: whyRecordedDiffers(before.verdict, recorded) },
    before: showVerdict(before),
    after: showVerdict(after),
  };
}

function closeGroup({ sessions, examples, ...group }: OpenGroup): ChangeGroup {
  const ids = [...sessions].sort().reverse();
  return { ...group, runs: ids.length, run_ids: ids.slice(0, REPORT_BOUNDS.runsOfGroup), examples };
}

/** Loosened calls come first, since a reviewer must see them; then the most frequent. */
function byWeight([leftKey, left]: [string, OpenGroup], [rightKey, right]: [string, OpenGroup]): number {
  if (left.direction !== right.direction) return left.direction === 'loosened' ? -1 : 1;
  return right.calls - left.calls || compareText(leftKey, rightKey);
}

function byChanges(left: AffectedRun, right: AffectedRun): number {
  return right.changed - left.changed || compareText(left.session_id, right.session_id);
}

function transitionsOf(groups: readonly OpenGroup[]): ChangeSummary['transitions'] {
  const transitions = new Map<string, ChangeSummary['transitions'][number]>();
  for (const { from, to, calls } of groups) {
    const key = JSON.stringify([from, to]);
    const transition = transitions.get(key) ?? { from, to, calls: 0 };
    transition.calls += calls;
    transitions.set(key, transition);
  }
  return sortByKey(transitions);
}

function sortByKey<T>(entries: ReadonlyMap<string, T>): T[] {
  return [...entries].sort(([left], [right]) => compareText(left, right)).map(([, value]) => value);
}

/** By UTF-16 units, so that no locale changes the order. */
function compareText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
