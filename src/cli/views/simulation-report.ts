import type { Schemas } from '../../client/client.js';
import { inline, short } from '../terminal/escape.js';
import type { Colours } from '../terminal/style.js';

type Report = Schemas['SimulationView'];
type Group = Report['changes'][number];
type Example = Group['examples'][number];

const WORDS: Record<Group['from'], string> = { allow: 'allow', require_approval: 'ask', deny: 'deny' };
const SHOWN = 100;

/** What a draft would change, for people: what loosens first, each group with who decided before and after, and examples. */
export function renderSimulation(report: Report, colours: Colours): string {
  const loosened = report.changes.filter((group) => group.direction === 'loosened');
  const tightened = report.changes.filter((group) => group.direction === 'tightened');
  return [
    ...headLines(report, colours),
    ...section(colours.bold('Looser'), loosened, (verdict) => colours.red(verdict)),
    ...section(colours.bold('Stricter'), tightened, (verdict) => colours.yellow(verdict)),
    ...restLines(report),
    ...recordLines(report, colours),
    ...unknownLines(report, colours),
  ].join('\n');
}

function headLines({ policy, draft, totals, limits }: Report, colours: Colours): string[] {
  const draftName = draft.name === policy.name ? 'the draft' : `the draft "${short(draft.name, 60)}"`;
  const lines = [
    `${colours.bold(short(policy.name, 60))}: ${draftName} against ${plural(totals.calls, 'recorded call')} of ${plural(totals.runs, 'run')}`,
    `${count(totals.unchanged)} unchanged, ${count(totals.changed)} changed (${count(totals.loosened)} looser, ${count(totals.tightened)} stricter), ${count(totals.unknown)} unknown`,
  ];
  if (totals.asked_differently > 0) {
    lines.push(`${plural(totals.asked_differently, 'unchanged call')} would be asked about on other terms`);
  }
  if (limits.stopped !== null) {
    const why = limits.stopped === 'limit' ? 'beyond --limit' : 'for lack of time';
    lines.push(colours.yellow(`${plural(limits.not_examined, 'older call')} not examined, ${why}`));
  }
  return lines;
}

function section(title: string, groups: readonly Group[], tint: (text: string) => string): string[] {
  if (groups.length === 0) return [];
  return ['', title, ...groups.flatMap((group) => groupLines(group, tint))];
}

function groupLines(group: Group, tint: (text: string) => string): string[] {
  const what = [short(group.tool, 40), ...(group.shape === null ? [] : [short(group.shape, SHOWN)])].join('  ');
  const change = tint(`${WORDS[group.from]} → ${WORDS[group.to]}`);
  return [
    `  ${change}  ${what}  ${plural(group.calls, 'call')} in ${plural(group.runs, 'run')}`,
    `      before  ${decider(group.before)}`,
    `      draft   ${group.after.rule === null ? '' : `rule ${group.after.rule}: `}${decider(group.after)}`,
    ...group.examples.flatMap(exampleLines),
  ];
}

function decider({ decided_by, matcher, pattern }: Group['before']): string {
  const by = inline(decided_by.replaceAll('_', ' '));
  if (pattern !== null) return `${by} \`${short(pattern, SHOWN)}\``;
  return matcher === null ? by : `${by} of \`${short(matcher, SHOWN)}\``;
}

function exampleLines(example: Example): string[] {
  const place = example.event_seq === null ? '' : ` #${example.event_seq}`;
  const { recorded, after } = example;
  return [
    `      e.g.    ${short(example.summary, SHOWN)}`,
    `              run ${inline(example.session_id)}${place}${after.reason === null ? '' : `: ${short(after.reason, SHOWN)}`}`,
    ...(recorded.why === null
      ? []
      : [`              recorded ${answerOf(recorded.answer)}: ${short(recorded.why, SHOWN)}`]),
  ];
}

function restLines({ changes_left_out: left, runs, runs_left_out }: Report): string[] {
  const affected = runs.length + runs_left_out;
  const lines: string[] = [];
  if (left.groups > 0) lines.push(`and ${plural(left.groups, 'more group')} with ${plural(left.calls, 'call')}`);
  if (affected > 0) lines.push(`${plural(affected, 'run')} affected`);
  return lines.length === 0 ? [] : ['', ...lines];
}

function recordLines({ recorded }: Report, colours: Colours): string[] {
  if (recorded.different.length === 0) return [];
  const lines = recorded.different.map(
    ({ baseline, answer, why, calls }) =>
      `  ${plural(calls, 'call')}: the policy says ${WORDS[baseline]}, recorded ${answerOf(answer)}: ${short(why, SHOWN)}`,
  );
  return ['', colours.bold('Answered otherwise than the policy alone says'), ...lines];
}

function answerOf(answer: Example['recorded']['answer']): string {
  return { allow: 'allowed', deny: 'denied', pending: 'pending', undecided: 'undecided' }[answer];
}

function unknownLines({ unknown, totals, history_days }: Report, colours: Colours): string[] {
  if (totals.unknown === 0) return [];
  const causes: [number, string][] = [
    [unknown.expired, `older than the ${history_days} days that are kept`],
    [unknown.not_kept, 'without a kept view'],
    [unknown.unreadable, 'whose view does not open'],
    [unknown.policy_unreadable, 'whose frozen policy this version cannot evaluate'],
  ];
  const lines = causes.filter(([calls]) => calls > 0).map(([calls, why]) => `  ${plural(calls, 'call')} ${why}`);
  const off = history_days === 0 ? ['  no history is kept: see SERVICE_POLICY_HISTORY_DAYS and SERVICE_KMS_MODE'] : [];
  return ['', colours.bold('Unknown'), ...lines, ...off];
}

function count(number: number): string {
  return number.toLocaleString('en-US');
}

function plural(number: number, noun: string): string {
  return `${count(number)} ${noun}${number === 1 ? '' : 's'}`;
}
