import { writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { DocsvcError } from '../../domain/errors.js';
import { benchmarkPage } from '../../embedded/benchmark/benchmark-page.js';
import type { ClassReport } from '../../embedded/benchmark/class-report.js';
import { CliContext } from '../context/cli-context.js';
import { callerPath } from '../settings/caller-folder.js';
import { CliError, EXIT } from '../terminal/exit-codes.js';
import { listOf } from '../verbs/verb.js';

const COLUMNS = {
  ...{ Class: 'name', Documents: 'documents', Pages: 'pages', F1: 'f1', 'Micro F1': 'micro' },
  ...{ Precision: 'precision', Recall: 'recall', 'Outside lists': 'outside', 'In lists': 'inside' },
  ...{
    'Null answered': 'answeredNulls',
    Grounded: 'grounded',
    AUROC: 'auroc',
    ECE: 'ece',
    'ms a page': 'milliseconds',
  },
};

/** `bench`, which asks no service: documents are read, and extracted from, on this host. */
export function addBench(program: Command): void {
  program
    .command('bench <folder>')
    .description(
      'extract from a folder with gold (schema.json, and <name>.gold.json beside each document) on this host',
    )
    .option('--class <names>', 'classes of the folder, with commas; all without it')
    .option('--page <file>', 'and write a page of Markdown with all figures')
    .action(async (named: string, flags: { class?: string; page?: string }, command: Command) => {
      const context = CliContext.of(command);
      const reports = await benched(callerPath(named), listOf(flags.class) ?? [], (message) => context.note(message));
      if (flags.page !== undefined) writeFileSync(callerPath(flags.page), benchmarkPage(reports));
      const { format } = context.style;
      const isData = format === 'json' || format === 'jsonl';
      context.printRows(isData ? reports : reports.map(forPeople), COLUMNS);
    });
}

async function benched(folder: string, names: string[], told: (message: string) => void): Promise<ClassReport[]> {
  // What opens documents is loaded by this command alone.
  const { benchFolder } = await import('../../embedded/benchmark/bench-folder.js');
  try {
    return await benchFolder(folder, names, told);
  } catch (error) {
    if (error instanceof DocsvcError) throw new CliError(error.message, EXIT.error, { cause: error });
    throw error;
  }
}

function forPeople(report: ClassReport): object {
  const { name, documents, pages, micro, grounded, calibration, answeredNulls } = report;
  return {
    ...{ name, documents, pages, answeredNulls },
    f1: rounded(report.f1),
    micro: rounded(micro.f1),
    precision: rounded(micro.precision),
    recall: rounded(micro.recall),
    outside: rounded(report.outsideLists.f1),
    inside: rounded(report.insideLists.f1),
    grounded: grounded.of === 0 ? '' : rounded(grounded.right / grounded.of),
    auroc: calibration.auroc === null ? '' : rounded(calibration.auroc.value),
    ece: calibration.ece === null ? '' : rounded(calibration.ece.value),
    milliseconds: rounded(report.millisecondsPerPage),
  };
}

const rounded = (value: number): string => value.toFixed(3);
