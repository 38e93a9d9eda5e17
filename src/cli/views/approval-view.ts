import { isExactObject, type ExactJson } from '../../domain/digest/exact-json.js';
import { GRANT_QUESTION } from '../../domain/network/grant-question.js';
import type { Approval } from '../server/wire.js';
import { inline, wrap } from '../terminal/escape.js';
import type { LiveScreen } from '../terminal/live-screen.js';
import type { Colours } from '../terminal/style.js';

/** The fixed heading of a question. Agent text is escaped and indented everywhere, so none can begin a row with it. */
export const APPROVAL_HEADING = '══ APPROVAL NEEDED ══ (asked by Sandgate, not by the agent)';

const INDENT = '   ';
const NAME_COLUMNS = 8;
/** Precedes every row of the call's own text, so that none of it looks like ours. */
const QUOTE = '│ ';
/** Some terminals draw the bar two columns wide. */
const QUOTE_COLUMNS = 3;

type Explanation = NonNullable<Approval['explanation']>;

/** What decided, in words: one for each kind of the policy engine. */
const DECIDED_BY: Readonly<Record<string, string>> = {
  default_action: 'no rule matches the tool',
  rule_action: 'the rule asks for this tool',
  deny_regex: 'a deny pattern',
  allow_prefix: 'an allow prefix',
  no_prefix: 'a part that no allow prefix covers',
  no_command: 'the call holds no command',
  not_analysable: 'a command that cannot be judged by its parts',
  redirect: 'a file that the command reads or writes',
  path_deny: 'a deny glob',
  path_allow: 'an allowed path',
  path_outside: 'a path outside the allowed ones',
  no_path: 'the call names no path',
};

/** Everything that an approver must see, whole: what does not fit on the screen scrolls, nothing is left out (docs/design/gate.md). */
export function renderApproval(approval: Approval, screen: LiveScreen): string {
  const { colours } = screen;
  const width = screen.width - INDENT.length;
  const rows = [
    ...facts(approval).flatMap(([name, value]) => factRows(name, value, width, colours)),
    ...inputRows(approval.input, width),
    ...(approval.explanation === null ? [] : foundRows(approval.explanation, width)),
  ];
  return [colours.bold(colours.yellow(APPROVAL_HEADING)), ...rows.map((row) => `${INDENT}${row}`)].join('\n');
}

/** Time left, in our own words; null when it is over. */
export function timeLeft(approval: Approval, nowMs: number): string | null {
  if (approval.expires_at === null) return 'no limit';
  const seconds = Math.ceil((Date.parse(approval.expires_at) - nowMs) / 1000);
  if (seconds <= 0) return null;
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
}

function facts(approval: Approval): [string, string][] {
  return [
    ['tool', approval.tool],
    ['call', approval.summary],
    ['risk', approval.risk ?? 'not stated'],
    ['why', approval.explanation?.reason ?? approval.reason ?? 'not stated'],
    ...ruleFacts(approval.explanation),
    ...grantFacts(approval),
    ['digest', approval.input_digest],
    ['status', `${approval.status}${approval.decided_by === null ? '' : ` by ${approval.decided_by}`}`],
    ...(approval.status === 'pending' || approval.reason === null
      ? []
      : [['record', approval.reason] as [string, string]]),
    ['until', approval.expires_at ?? 'no limit'],
    ['run', approval.session_id],
    ['id', approval.id],
  ];
}

/** What each answer covers, the narrow one first. */
function grantFacts({ tool, grant }: Approval): [string, string][] {
  if (tool === GRANT_QUESTION.tool) return [['once', 'this run alone, from its beginning']];
  const { covers, once_because: because, examples } = grant;
  const once = 'this call alone';
  if (covers === null) {
    return [['once', `${once}; "for this run" counts as once, too${because === null ? '' : `: ${because}`}`]];
  }
  return [
    ['once', once],
    ['for run', covers],
    ...examples.map((example): [string, string] => [
      'such as',
      `${example.call}${example.from_run ? '  (asked before in this run)' : '  (made up)'}`,
    ]),
  ];
}

function ruleFacts(explanation: Explanation | null): [string, string][] {
  if (explanation === null) return [];
  const { rule, matcher, pattern, subject, cwd } = explanation;
  const decidedBy = DECIDED_BY[explanation.decided_by ?? ''] ?? explanation.decided_by ?? 'not recorded';
  const named: [string, string | null][] = [
    [
      'rule',
      rule === null
        ? 'none: the default of the policy'
        : `tools[${rule}]${matcher === null ? '' : `, matcher ${matcher}`}`,
    ],
    ['decided', decidedBy],
    ['pattern', pattern],
    ['part', subject],
    ['cwd', cwd],
  ];
  return named.filter((fact): fact is [string, string] => fact[1] !== null);
}

function factRows(name: string, value: string, width: number, colours: Colours): string[] {
  const room = Math.max(4, width - NAME_COLUMNS - 1);
  const rows = value.split('\n').flatMap((line) => wrap(inline(line), room));
  return rows.map((row, index) => `${colours.dim((index === 0 ? name : '').padEnd(NAME_COLUMNS))} ${row}`);
}

/** Texts of the input are shown as they are, line by line; everything else as JSON. */
function inputRows(input: unknown, width: number): string[] {
  if (input === null || input === undefined) return [];
  const value = input as ExactJson;
  if (!isExactObject(value) || Object.keys(value).length === 0) return ['input:', ...quoted(asText(value), width)];
  return [
    'input:',
    ...Object.entries(value).flatMap(([key, member]) => [
      ...wrap(`  ${inline(key)}:`, width),
      ...quoted(asText(member ?? null), width),
    ]),
  ];
}

function asText(value: ExactJson): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

function quoted(text: string, width: number): string[] {
  const room = Math.max(4, width - 2 - QUOTE_COLUMNS);
  return text.split('\n').flatMap((line) => wrap(inline(line), room).map((row) => `  ${QUOTE}${row}`));
}

function foundRows(explanation: Explanation, width: number): string[] {
  const { parts, parts_omitted: omitted, files, not_known_beforehand: unknown } = explanation;
  const partRows = parts.flatMap((part) => {
    const kind = part.kind === 'command' ? '' : `${inline(part.kind)} `;
    const covered = part.covered_by === null ? 'not covered' : `covered by ${inline(part.covered_by)}`;
    return [...wrap(`  ${kind}${covered}:`, width), ...quoted(part.text, width)];
  });
  const fileRows = files.flatMap((file) => [
    ...wrap(`  ${inline(file.path)}`, width),
    ...wrap(
      `    ${file.size} bytes, ${inline(file.digest ?? 'too large to read; a change is noticed all the same')}`,
      width,
    ),
  ]);
  return [
    ...(partRows.length === 0 ? [] : [...wrap('parts of the command:', width), ...partRows]),
    ...(omitted === 0 ? [] : wrap(`  and ${omitted} more parts`, width)),
    ...(fileRows.length === 0
      ? []
      : [...wrap('files that it names; if one changes before the call, it is denied:', width), ...fileRows]),
    ...(unknown.length === 0
      ? []
      : [
          ...wrap('not known beforehand, since only the run decides; they may name files:', width),
          ...unknown.flatMap((word) => quoted(word, width)),
        ]),
  ];
}
