import type { JsonObject } from '../../domain/json.js';
import { textOf } from '../server/event-data.js';
import type { Approval, Decision } from '../server/wire.js';
import { block, inline } from './escape.js';
import type { LiveScreen } from './live-screen.js';

/** The fixed heading of a question. Agent text is escaped and indented everywhere, so none can begin a line with it. */
export const APPROVAL_HEADING = '══ APPROVAL NEEDED ══ (asked by Sandgate, not by the agent)';

const MAX_SECTION_LINES = 60;
const ANSWERS: Readonly<Record<string, Decision | 'later'>> = {
  y: 'approved_once',
  s: 'approved_session',
  n: 'denied',
  l: 'later',
  '\u001b': 'later',
};

/** What an approver must see, each foreign text on indented lines of its own below the heading. */
export function renderApproval(approval: Approval, screen: LiveScreen): string {
  const { colours } = screen;
  const rows: [string, string][] = [
    ['tool', inline(approval.tool)],
    ['call', block(approval.summary)],
    ['risk', inline(approval.risk ?? 'not stated')],
    ['why', inline(approval.reason ?? 'not stated')],
    ['digest', inline(approval.input_digest ?? 'none')],
    ['until', inline(approval.expires_at ?? 'no limit')],
    ['run', inline(approval.session_id)],
  ];
  const details = [...section('input', approval.input), ...partLines(approval.explanation)];
  const body = rows.map(
    ([name, value]) => `   ${colours.dim(name.padEnd(6))} ${value.replaceAll('\n', `\n          `)}`,
  );
  return [colours.bold(colours.yellow(APPROVAL_HEADING)), ...body, ...details.map((line) => `   ${line}`)].join('\n');
}

/** Asks on a terminal; resolves with the answer, or `later` when `signal` ends the question (somebody else decided). */
export async function askApproval(
  approval: Approval,
  screen: LiveScreen,
  signal: AbortSignal,
): Promise<Decision | 'later'> {
  screen.clearStatus();
  screen.line(renderApproval(approval, screen));
  screen.setStatus(' [y] allow once   [s] allow for this run   [n] deny   [l] decide later: ');
  const key = await readKey(signal);
  screen.clearStatus();
  return key;
}

/** The whole input must be seen before it is allowed; what does not fit says how much is left out. */
function section(title: string, content: unknown): string[] {
  if (content === null || content === undefined) return [];
  const text = typeof content === 'string' ? content : JSON.stringify(content, null, 2);
  const lines = block(text).split('\n');
  const rest = lines.length - MAX_SECTION_LINES;
  const shown = lines.slice(0, MAX_SECTION_LINES).map((line) => `  ${line}`);
  return [`${title}:`, ...shown, ...(rest > 0 ? [`  … ${rest} more lines; see \`sandgate approvals -o json\``] : [])];
}

/** The parts of a command, with those that no rule covers marked; that is what the approver decides about. */
function partLines(explanation: unknown): string[] {
  const parts = (explanation as { parts?: unknown } | null | undefined)?.parts;
  if (!Array.isArray(parts) || parts.length < 2) return [];
  const lines = parts.slice(0, MAX_SECTION_LINES).map((part: JsonObject) => {
    const covered = (part['covered_by'] ?? null) === null ? 'not covered' : 'covered';
    return `  ${covered.padEnd(12)} ${inline(textOf(part, 'text'))}`;
  });
  return ['parts:', ...lines];
}

/** One key that means something; others are passed over. Ctrl+C reaches the process as the interrupt that it is. */
function readKey(signal: AbortSignal): Promise<Decision | 'later'> {
  const { stdin } = process;
  return new Promise((resolve) => {
    const settle = (answer: Decision | 'later') => {
      stdin.off('data', onData);
      signal.removeEventListener('abort', onAbort);
      stdin.setRawMode(false);
      stdin.pause();
      resolve(answer);
    };
    const onAbort = () => settle('later');
    const onData = (data: Buffer) => {
      const key = data.toString('utf8');
      if (key === '\u0003') {
        settle('later');
        process.kill(process.pid, 'SIGINT');
        return;
      }
      const answer = ANSWERS[key.toLowerCase()];
      if (answer !== undefined) settle(answer);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    stdin.setRawMode(true);
    // Keys that were typed before the question was on the screen are no answer to it.
    while (stdin.read() !== null) continue;
    stdin.resume();
    stdin.on('data', onData);
  });
}
