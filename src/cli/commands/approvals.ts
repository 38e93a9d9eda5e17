import type { Command } from 'commander';
import { CliError, EXIT } from '../terminal/exit-codes.js';
import { contextOf } from './program-context.js';
import type { CommandContext } from './program-context.js';
import { decide, listApprovals, pendingApprovals, readApproval } from '../server/approvals.js';
import { isPart, onlyMatch } from '../server/only-match.js';
import { findRun, shortId } from '../server/runs.js';
import type { SandgateClient } from '../server/sandgate-client.js';
import type { Approval, Decision } from '../server/wire.js';
import { renderApproval, timeLeft } from '../views/approval-view.js';
import { inline } from '../terminal/escape.js';
import { LiveScreen } from '../terminal/live-screen.js';
import { printDocument, printRows, write } from '../terminal/output.js';
import type { Column } from '../terminal/output.js';
import { describeDecision } from '../views/decide.js';
import { watchApprovals } from './watch-approvals.js';

const COLUMNS: readonly Column<Approval>[] = [
  { title: 'APPROVAL', value: (approval) => shortId(approval.id) },
  { title: 'RUN', value: (approval) => shortId(approval.session_id) },
  { title: 'STATUS', value: (approval) => approval.status },
  {
    title: 'LEFT',
    value: (approval) => (approval.status === 'pending' ? (timeLeft(approval, Date.now()) ?? 'over') : ''),
  },
  { title: 'TOOL', value: (approval) => approval.tool, width: 24 },
  { title: 'RISK', value: (approval) => approval.risk ?? '', width: 30 },
  { title: 'CALL', value: (approval) => approval.summary, width: 70 },
  { title: 'FOR THE RUN', value: (approval) => approval.scope_key ?? 'counts once', width: 30 },
];

export function registerApprovalCommands(program: Command): void {
  const approvals = program
    .command('approvals')
    .description('List approvals that wait, oldest first; with a run, all of that run.')
    .argument('[run]', 'id of the run, part of it, or "last"')
    .option('-w, --watch', 'go on showing what comes and goes; on a terminal each one is asked in place')
    .action((run: string | undefined, flags: { watch?: boolean }, command: Command) =>
      list(run, flags.watch === true, contextOf(command)),
    );
  approvals
    .command('show')
    .description('Show an approval with everything that its approver has to know.')
    .argument('<approval>', 'id of the approval, or part of it while it waits')
    .action((id: string, _flags: unknown, command: Command) => show(id, contextOf(command)));
  program
    .command('approve')
    .description('Allow a call that waits.')
    .argument('<approval>', 'id of the approval, or part of it')
    .option('-s, --session', 'and the same kind of call for the rest of the run')
    .action((id: string, flags: { session?: boolean }, command: Command) =>
      settle(id, flags.session === true ? 'approved_session' : 'approved_once', contextOf(command)),
    );
  program
    .command('deny')
    .description('Refuse a call that waits.')
    .argument('<approval>', 'id of the approval, or part of it')
    .action((id: string, _flags: unknown, command: Command) => settle(id, 'denied', contextOf(command)));
}

async function list(run: string | undefined, watch: boolean, context: CommandContext): Promise<void> {
  const { client, format } = context;
  const runId = run === undefined ? undefined : (await findRun(client, run)).id;
  if (watch) return watchApprovals(context, runId);
  printRows(
    format,
    await listApprovals(client, runId),
    COLUMNS,
    run === undefined ? 'Nothing waits for an approval.' : 'This run asked for no approval.',
  );
}

async function show(name: string, { client, format }: CommandContext): Promise<void> {
  const approval = await readApproval(client, await findApprovalId(client, name));
  if (format === 'table') write(renderApproval(approval, new LiveScreen()));
  else printDocument(format, approval);
}

/** A late decision changes nothing and gets the settled row; this command then says so and fails. */
async function settle(name: string, decision: Decision, { client, format }: CommandContext): Promise<void> {
  const approval = await decide(client, await findApprovalId(client, name), decision);
  if (format === 'table') write(describeDecision(approval));
  else printDocument(format, approval);
  if (approval.status !== decision && !approval.narrowed)
    throw new CliError(`it was settled before: ${inline(approval.status)}`, EXIT.conflict);
}

async function findApprovalId(client: SandgateClient, name: string): Promise<string> {
  if (name.length === 36) return name;
  const matches = (await pendingApprovals(client)).filter(({ id }) => isPart(id, name.toLowerCase()));
  return onlyMatch(matches, {
    none: `no waiting approval has an id like ${inline(name)}`,
    several: `${matches.length} waiting approvals have an id like ${inline(name)}`,
  }).id;
}
