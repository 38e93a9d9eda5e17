import type { Command } from 'commander';
import type { AuditQuery } from '../server/org-plane.js';
import { shortId } from '../server/runs.js';
import type { AuditEntry } from '../server/wire.js';
import { wholeNumber } from '../terminal/arguments.js';
import { printRows, type OutputFormat } from '../terminal/output.js';

export interface AuditFlags {
  readonly limit: number;
  readonly before?: string;
  readonly action?: string;
  readonly refused?: boolean;
}

/** The options of a command that reads the log of privileged steps. */
export function withAuditOptions(command: Command): Command {
  return command
    .option('--action <action>', 'only these, such as member.roles')
    .option('--refused', 'only what was refused')
    .option('--before <id>', 'only entries older than this one')
    .option('--limit <n>', 'at most so many', wholeNumber, 100);
}

export function auditQuery({ limit, before, action, refused }: AuditFlags): AuditQuery {
  return {
    limit,
    ...(before === undefined ? {} : { before }),
    ...(action === undefined ? {} : { action }),
    ...(refused === true ? { success: false } : {}),
  };
}

export function printAudit(format: OutputFormat, entries: readonly AuditEntry[]): void {
  const columns = [
    { title: 'TIME', value: ({ created_at: at }: AuditEntry) => at.slice(0, 19) },
    { title: 'ACTOR', value: actorOf },
    { title: 'ACTION', value: ({ action }: AuditEntry) => action },
    { title: 'OUTCOME', value: ({ success, detail }: AuditEntry) => (success ? 'done' : refusalOf(detail)) },
    { title: 'TARGET', value: ({ target }: AuditEntry) => target ?? '', width: 40 },
    { title: 'FROM', value: (entry: AuditEntry) => entry.source_ip ?? '' },
    { title: 'ENTRY', value: ({ id }: AuditEntry) => id },
  ];
  printRows(format, entries, columns, 'No entries.');
}

function actorOf({ actor_kind: kind, actor_id: id }: AuditEntry): string {
  return kind === 'user' ? shortId(id) : id;
}

function refusalOf({ code }: Record<string, unknown>): string {
  return typeof code === 'string' ? `refused: ${code}` : 'refused';
}
