import { createPublicKey } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { verifyExport } from '../../domain/ledger/verify-export.js';
import { CliError, EXIT } from '../terminal/exit-codes.js';
import { contextOf, formatOf, fromCaller } from './program-context.js';
import type { CommandContext } from './program-context.js';
import { findRun } from '../server/runs.js';
import { inline } from '../terminal/escape.js';
import { printDocument, write } from '../terminal/output.js';
import type { OutputFormat } from '../terminal/output.js';
import { readNamedFile, reading } from './document.js';

export function registerAuditCommands(program: Command): void {
  const audit = program.command('audit').description('Take the ledger of a run away and verify it without a server.');
  audit
    .command('export')
    .description('Write the ledger of a run: every event with its chain, and a signed head.')
    .argument('<run>', 'id of the run, part of it, or "last"')
    .option('--to <file>', 'file to write; standard output otherwise')
    .action((run: string, flags: { to?: string }, command: Command) => exportLedger(run, flags.to, contextOf(command)));
  audit
    .command('key')
    .description('Print the public key that verifies ledgers of this server.')
    .action((_flags: unknown, command: Command) => printKey(contextOf(command)));
  audit
    .command('verify')
    .description('Check an export against a public key. Needs no server.')
    .argument('<file>', 'the export, - for standard input')
    .requiredOption('--key <file>', 'public key (PEM), as printed by `audit key` at a time when the server was trusted')
    .action((file: string, flags: { key: string }, command: Command) => verify(file, flags.key, formatOf(command)));
}

async function exportLedger(name: string, to: string | undefined, { client }: CommandContext): Promise<void> {
  const run = await findRun(client, name);
  const content = await client.bytes(`/v1/sessions/${run.id}/events/export`);
  if (to === undefined) process.stdout.write(content);
  else writeFileSync(fromCaller(to), content, { flag: 'wx' });
}

async function printKey({ client, format }: CommandContext): Promise<void> {
  const key = await client.call((api) => api.GET('/v1/ledger-key'));
  if (format === 'table') write(key.public_key.trimEnd());
  else printDocument(format, key);
}

async function verify(file: string, keyFile: string, format: OutputFormat): Promise<void> {
  const key = reading(keyFile, () => createPublicKey(readNamedFile(keyFile)));
  const report = await verifyExport(readNamedFile(file), key);
  if (format !== 'table') printDocument(format, report);
  else {
    for (const problem of report.problems)
      write(`${problem.line === null ? 'end' : `line ${problem.line}`}: ${problem.fault}: ${inline(problem.message)}`);
    if (report.ok)
      write(
        `${report.events} events of run ${inline(report.sessionId ?? '')}: complete, in order, unedited; signed ${inline(report.signedAt ?? '')}`,
      );
  }
  if (!report.ok) throw new CliError('the export does not verify', EXIT.conflict);
}
