import { asText, textOf } from '../server/event-data.js';
import type { RunEvent } from '../server/wire.js';
import { block, inline, short, wrap } from '../terminal/escape.js';
import type { Colours } from '../terminal/style.js';

const SUMMARY_CHARACTERS = 160;
const KIND_COLUMNS = 10;

type Data = Readonly<Record<string, unknown>>;
type Line = readonly [kind: string, text: string, tone?: 'good' | 'bad' | 'warn' | 'dim' | undefined];

/**
 * One event as a line of the timeline. Every foreign text is escaped and stands behind a time and a kind of ours, so that it can
 * neither begin a line, nor a row of a terminal of `width` columns, nor imitate a heading (docs/design/terminal.md). Undefined for
 * kinds that a person need not see.
 */
export function renderEvent(
  event: RunEvent,
  startedAtMs: number,
  colours: Colours,
  width = Number.MAX_SAFE_INTEGER,
): string | undefined {
  const line = describe(event.payload.type, event.payload.data);
  return line === undefined ? undefined : renderLine(event, line, startedAtMs, colours, width);
}

/** As {@link renderEvent}, with the kinds that a person need not see: each event is a line. */
export function renderEveryEvent(event: RunEvent, startedAtMs: number, colours: Colours): string {
  const { type, data } = event.payload;
  const raw: Line = ['event', `${inline(type)} ${short(JSON.stringify(data), SUMMARY_CHARACTERS)}`, 'dim'];
  return renderLine(event, describe(type, data) ?? raw, startedAtMs, colours, Number.MAX_SAFE_INTEGER);
}

function renderLine(
  event: RunEvent,
  [kind, text, tone]: Line,
  startedAtMs: number,
  colours: Colours,
  width: number,
): string {
  const elapsed = `+${((Date.parse(event.occurred_at) - startedAtMs) / 1000).toFixed(1)}s`.padStart(8);
  const margin = elapsed.length + KIND_COLUMNS + 2;
  const rows = text.split('\n').flatMap((row) => wrap(row.replaceAll('\t', '    '), Math.max(10, width - margin)));
  return `${colours.dim(elapsed)} ${colours.bold(kind.padEnd(KIND_COLUMNS))} ${paint(rows.join(`\n${' '.repeat(margin)}`), tone, colours)}`;
}

function describe(type: string, data: Data): Line | undefined {
  return DESCRIPTIONS[type]?.(data);
}

const DESCRIPTIONS: Readonly<Record<string, (data: Data) => Line | undefined>> = {
  'session.created': (data) => ['run', `created for agent ${text(data, 'agent')}`],
  'session.status_changed': (data) => ['run', status(data), toneOfStatus(data['to'])],
  'workspace.initialized': (data) => [
    'workspace',
    `${text(data, 'files', 'unknown')} files, base ${text(data, 'base_commit', 'none').slice(0, 12)}${comparison(data)}${notFetched(data)}`,
    'dim',
  ],
  'network.grant.frozen': (data) => {
    const targets = `reach ${list(data['targets'])}`;
    return data['awaiting_authorization'] === true
      ? ['network', `waits for a person to authorize: ${targets}`, 'warn']
      : ['network', `may ${targets}`, 'dim'];
  },
  'setup.command': (data) => [
    'setup',
    `${text(data, 'tool_call_id')} ${data['exit_code'] === 0 ? 'done' : 'failed'}`,
    data['exit_code'] === 0 ? 'dim' : 'bad',
  ],
  'setup.finished': (data) => (data['ok'] === true ? undefined : ['setup', text(data, 'reason', 'failed'), 'bad']),
  'setup.skipped': (data) => ['setup', `skipped: ${text(data, 'reason')}`, 'warn'],
  'setup.reused': (data) => ['setup', `reused from run ${text(data, 'made_by')}`, 'good'],
  'setup.kept': (data) =>
    data['kept'] === true
      ? ['setup', 'kept for later runs', 'dim']
      : ['setup', `not kept: ${text(data, 'reason')}`, 'dim'],
  'agent.message': (data) => ['agent', block(textOf(data, 'text'))],
  'tool.requested': (data) => ['asks', callOf(data)],
  'tool.decision': decision,
  'tool.rejected': (data) => ['tool', `${text(data, 'tool')} was answered by the harness itself`, 'warn'],
  'tool.completed': (data) => ['tool', `${text(data, 'tool')} ${data['ok'] === true ? 'done' : 'failed'}`, 'dim'],
  'tool.brokered': brokered,
  'approval.requested': (data) => ['approval', `needed for ${callOf(data)}`, 'warn'],
  'approval.decided': (data) => [
    'approval',
    `${text(data, 'decision')} by ${text(data, 'decided_by')}`,
    data['decision'] === 'denied' || data['decision'] === 'expired' ? 'bad' : 'good',
  ],
  'model.response': (data) => ['model', modelLine(data), 'dim'],
  'budget.warning': (data) => ['budget', `${text(data, 'budget')} is almost used up`, 'warn'],
  'budget.exceeded': (data) => [
    'budget',
    `${text(data, 'budget')}: ${text(data, 'spent')} of ${text(data, 'limit')}`,
    'bad',
  ],
  'run.error': (data) => ['error', text(data, 'message'), 'bad'],
  'run.result': (data) => [
    'result',
    `${text(data, 'outcome')}${data['summary'] === null || data['summary'] === undefined ? '' : `: ${text(data, 'summary')}`}`,
  ],
  'network.allowed': (data) => ['network', `reaches ${text(data, 'target')}:${text(data, 'port')}`, 'dim'],
  'network.denied': (data) => [
    'network',
    `${text(data, 'target')}:${text(data, 'port')} was refused (${text(data, 'rule')})`,
    'warn',
  ],
  'run.limit_reached': (data) => ['limit', text(data, 'limit'), 'warn'],
  'artifact.collected': (data) => [
    'artifact',
    `${text(data, 'kind')} ${text(data, 'name')} (${text(data, 'bytes')} bytes)`,
    'dim',
  ],
  'artifact.missing': (data) => ['artifact', `${text(data, 'kind')} is missing: ${text(data, 'reason')}`, 'bad'],
};

function decision(data: Data): Line {
  const allowed = data['verdict'] === 'allow';
  const reason = data['reason'] === null || data['reason'] === undefined ? '' : `: ${text(data, 'reason')}`;
  return [
    allowed ? 'allowed' : 'denied',
    `${text(data, 'tool')} by ${text(data, 'source')}${reason}`,
    allowed ? 'good' : 'bad',
  ];
}

/** The tool, and what the call is about where somebody has said so. */
function callOf(data: Data): string {
  const [tool, summary] = [text(data, 'tool'), text(data, 'summary')];
  return summary === '' || summary === tool ? tool : `${tool}: ${summary}`;
}

/** For an answer that is an error there is no reason of ours; the tool's own text is for the model. */
function brokered(data: Data): Line {
  const [tool, error] = [text(data, 'tool'), text(data, 'error')];
  if (data['ok'] === true) return ['tool', `${tool} answered`, 'dim'];
  if (error === '') return ['tool', `${tool} answered with an error`, 'warn'];
  const doubt = data['outcome'] === 'ambiguous' ? ', and may have happened all the same' : '';
  return ['tool', `${tool} failed${doubt}: ${error}`, 'warn'];
}

function status(data: Data): string {
  const reason = data['reason'] === null || data['reason'] === undefined ? '' : ` (${text(data, 'reason')})`;
  return `${text(data, 'from')} → ${text(data, 'to')}${reason}`;
}

function modelLine(data: Data): string {
  const cost = typeof data['cost_usd'] === 'number' ? `$${data['cost_usd'].toFixed(4)}` : 'no known price';
  return `${text(data, 'model')}: ${text(data, 'input_tokens')} in, ${text(data, 'output_tokens')} out, ${cost}`;
}

/** Of a pull request. */
function comparison({ merge_base: commit }: Data): string {
  if (commit === undefined) return '';
  return typeof commit === 'string'
    ? `, compared with ${commit.slice(0, 12)}`
    : '; what to compare it with was not found';
}

/** Parts of a repository that the workspace lacks. */
function notFetched(data: Data): string {
  const counts = [
    [data['submodules_not_fetched'], 'submodules'],
    [data['lfs_files_not_fetched'], 'LFS files'],
  ] as const;
  const missing = counts.flatMap(([count, what]) => (typeof count === 'number' && count > 0 ? `${count} ${what}` : []));
  return missing.length === 0 ? '' : `; not fetched: ${missing.join(', ')}`;
}

function toneOfStatus(to: unknown): Line[2] {
  if (to === 'completed') return 'good';
  return to === 'failed' || to === 'cancelled' || to === 'budget_exceeded' ? 'bad' : 'dim';
}

function text(data: Data, member: string, absent = ''): string {
  const value = data[member];
  return value === null || value === undefined ? absent : short(asText(value), SUMMARY_CHARACTERS);
}

function paint(line: string, tone: Line[2], colours: Colours): string {
  if (tone === 'good') return colours.green(line);
  if (tone === 'bad') return colours.red(line);
  if (tone === 'warn') return colours.yellow(line);
  return tone === 'dim' ? colours.dim(line) : line;
}

function list(value: unknown): string {
  return Array.isArray(value) ? value.map((item) => inline(asText(item))).join(', ') : 'nothing';
}
