import type { Command } from 'commander';
import { CliContext } from '../context/cli-context.js';
import { awaitRun, exitOfRun } from '../runs/await-run.js';
import { printResult, tellWarnings } from '../runs/print-result.js';
import { addRunOptions, runMembers, type RunFlags } from '../runs/run-options.js';
import { runId, runPath, runsPath, type Run } from '../runs/run-reference.js';
import { schemaVersionOf } from '../schemas/schema-version.js';
import type { Schemas } from '../server/schemas.js';
import { CliError, EXIT } from '../terminal/exit-codes.js';
import { documentId } from '../verbs/document-verbs.js';
import { RUN_DETAILS } from '../verbs/run-verbs.js';
import { groupOf, listOf } from '../verbs/verb.js';

const STARTED = { ...RUN_DETAILS, Known: 'replayed' };

/** Verbs for runs of extraction that ask more than once, or print what a run came to (DI-014, DI-043). */
export function addRuns(program: Command): void {
  const runs = groupOf(program, 'runs').description('runs that look for the values of a schema in documents');
  addRunOptions(
    runs
      .command('start')
      .description('look for the values of a schema in documents; the run goes on by itself')
      .requiredOption('--schema <schema>', 'by id or name; its newest version, or the id of a version')
      .option('--documents <list>', 'by id or name; all of the project without it')
      .option('--versions <list>', 'certain versions of documents, by id'),
    'its key in the project: where a run has it already, that one is shown',
  ).action(start);
  runs
    .command('wait <run>')
    .description('wait until a run has ended')
    .option('--poll-interval <seconds>', 'longest pause between two looks')
    .option('--timeout <seconds>', 'longest wait; the run goes on')
    .action(async (named: string, _flags: object, command: Command) => {
      const context = CliContext.of(command);
      const run = await awaitRun(context, await runId(context, named));
      context.printRecord(run, RUN_DETAILS);
      tellWarnings(context, run, new Map());
      process.exitCode = exitOfRun(run);
    });
  runs
    .command('result <run>')
    .description('print what a run came to')
    .option('--citations', 'with the places on the pages')
    .option('--signals', 'with what each confidence is made of, as JSON')
    .option('--attempt <number>', 'an earlier attempt; the newest without it')
    .action(async (named: string, flags: ResultFlags, command: Command) => {
      const context = CliContext.of(command);
      const run = await context.api.object<Run>(runPath(await runId(context, named)));
      await printResult(context, run, flags);
      process.exitCode = flags.attempt === undefined ? exitOfRun(run) : EXIT.ok;
    });
}

interface ResultFlags {
  citations?: boolean;
  signals?: boolean;
  attempt?: string;
}

interface StartFlags extends RunFlags {
  schema: string;
  documents?: string;
  versions?: string;
}

async function start(flags: StartFlags, command: Command): Promise<void> {
  const context = CliContext.of(command);
  const members = runMembers(flags);
  const { id: schemaVersionId } = await schemaVersionOf(context, flags.schema);
  const documents = listOf(flags.documents);
  const documentVersionIds = listOf(flags.versions);
  const body = {
    ...{ schemaVersionId, ...members },
    ...(flags.externalId === undefined ? {} : { externalId: flags.externalId }),
    ...(documents === undefined
      ? {}
      : { documentIds: await Promise.all(documents.map((one) => documentId(context, one))) }),
    ...(documentVersionIds === undefined ? {} : { documentVersionIds }),
  };
  const run = await context.api.object<Schemas['StartedExtraction']>(runsPath(context), { method: 'POST', body });
  context.printRecord(run, STARTED);
  if (run.requestMatches) return;
  throw new CliError(`the run of ${run.externalId} was there, and asks for something else`, EXIT.conflict);
}
