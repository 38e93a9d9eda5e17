import { EXIT } from '../terminal/exit-codes.js';
import type { CommandContext } from './program-context.js';
import { followApprovals, readApproval } from '../server/approvals.js';
import type { SandgateClient } from '../server/sandgate-client.js';
import type { Approval } from '../server/wire.js';
import { timeLeft } from '../views/approval-view.js';
import { inline, short } from '../terminal/escape.js';
import { LiveScreen } from '../terminal/live-screen.js';
import { toJson, write } from '../terminal/output.js';
import { ApprovalDesk } from '../views/decide.js';

const CALL_CHARACTERS = 120;
const KEY_CHARACTERS = 80;
const IDLE = ' waiting for approvals … (Ctrl+C ends)';

/** Shows changes of the list: as questions on a terminal, as lines on a pipe. */
interface Watcher {
  opened(approval: Approval): void;
  settled(approval: Approval): void;
}

/** Shows approvals as they appear and are settled, until Ctrl+C; on a terminal it asks about each one. */
export async function watchApprovals(context: CommandContext, runId: string | undefined): Promise<void> {
  const interrupt = new AbortController();
  process.once('SIGINT', () => interrupt.abort());
  const interactive = process.stdin.isTTY === true && process.stdout.isTTY === true && context.format === 'table';
  const watcher = interactive ? new Questions(context.client) : linesFor(context);
  await followChanges(context.client, runId, watcher, interrupt.signal);
  process.exitCode = EXIT.interrupted;
}

/** Tells `watcher` of every approval that becomes pending, and of its end. */
async function followChanges(
  client: SandgateClient,
  runId: string | undefined,
  watcher: Watcher,
  signal: AbortSignal,
): Promise<void> {
  const open = new Set<string>();
  for await (const list of followApprovals(client, runId, signal)) {
    const pending = list.filter((approval) => approval.status === 'pending');
    const gone = [...open].filter((id) => !pending.some((approval) => approval.id === id));
    for (const id of gone) {
      open.delete(id);
      watcher.settled(list.find((approval) => approval.id === id) ?? (await readApproval(client, id)));
    }
    // A run's own list is newest first; questions come in the order in which they were asked.
    for (const approval of pending.toSorted((left, right) => left.requested_at.localeCompare(right.requested_at))) {
      if (open.has(approval.id)) continue;
      open.add(approval.id);
      watcher.opened(approval);
    }
  }
}

class Questions implements Watcher {
  private readonly screen = new LiveScreen();
  private readonly desk: ApprovalDesk;
  private readonly open = new Map<string, AbortController>();

  constructor(client: SandgateClient) {
    this.desk = new ApprovalDesk(client);
    this.screen.setStatus(IDLE);
  }

  opened(approval: Approval): void {
    const decided = new AbortController();
    this.open.set(approval.id, decided);
    this.desk.ask(approval, this.screen, decided.signal);
  }

  settled(approval: Approval): void {
    this.open.get(approval.id)?.abort();
    this.open.delete(approval.id);
    this.screen.line(settledLine(approval));
    if (this.open.size === 0) this.screen.setStatus(IDLE);
  }
}

function linesFor({ format }: CommandContext): Watcher {
  if (format === 'table') {
    return {
      opened: (approval) => write(pendingLine(approval, Date.now())),
      settled: (approval) => write(settledLine(approval)),
    };
  }
  // One document a line, which a program can read while it grows; YAML would need separators.
  const tell = (approval: Approval) => write(toJson(approval, 0));
  return { opened: tell, settled: tell };
}

/** Always one row: foreign text is escaped and cut. */
function pendingLine(approval: Approval, nowMs: number): string {
  const { id, session_id: run, tool, summary, explanation, scope_key: keys } = approval;
  const rule = explanation?.rule === null || explanation === null ? 'default' : `rule ${explanation.rule}`;
  const left = timeLeft(approval, nowMs) ?? 'over';
  const call = `${short(tool, 40)}: ${short(summary, CALL_CHARACTERS)}`;
  const grant = keys === null ? 'counts once' : `for this run: ${short(keys, KEY_CHARACTERS)}`;
  return `pending ${inline(id)} run ${inline(run)} ${rule} ${left} left: ${call} (${grant})`;
}

function settledLine({ id, status, decided_by: by }: Approval): string {
  return `${inline(status)} ${inline(id)}${by === null ? '' : ` by ${inline(by)}`}`;
}
