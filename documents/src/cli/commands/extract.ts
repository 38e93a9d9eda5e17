import { Option, type Command } from 'commander';
import { CliContext } from '../context/cli-context.js';
import { awaitRun, exitOfRun } from '../runs/await-run.js';
import { digestFiles, externalIdOf } from '../runs/external-id.js';
import { printResult } from '../runs/print-result.js';
import { addRunOptions, runMembers, type RunFlags } from '../runs/run-options.js';
import { findRun, runPath, runsPath, type Run } from '../runs/run-reference.js';
import { versionFromFile, versionFromSheet, versionFromWords } from '../schemas/made-schema-version.js';
import { schemaVersionOf, type SchemaVersion } from '../schemas/schema-version.js';
import type { Schemas } from '../server/schemas.js';
import { isCallerFile } from '../settings/caller-folder.js';
import { CliError, EXIT } from '../terminal/exit-codes.js';
import type { NamedFile } from '../upload/collect-files.js';
import { addSendOptions, filesToSend, sendFile } from '../upload/send-files.js';

/** Documents of one run at most. */
const MOST_FILES = 1000;

interface ExtractFlags extends RunFlags {
  name?: string;
  describe?: string;
  schema?: string;
  fromSpreadsheet?: string;
  sheet?: string;
  shape?: string;
  saveSchema?: string;
  citations?: boolean;
}

/** `extract`: from files to data in one command (DI-025). */
export function addExtract(program: Command): void {
  const command = program
    .command('extract <file...>')
    .description('send files and folders, look in them for what is described, and print what was found')
    .option('--describe <text>', 'what is looked for, as in "vendor name, total in EUR, lines with item, price"')
    .option('--schema <schema>', 'or a schema: its id or name, the id of a version, or a file of JSON Schema')
    .option('--from-spreadsheet <sheet>', 'or the columns of a spreadsheet: a file, or a document of the project')
    .option('--sheet <name>', 'with --from-spreadsheet, the first one with a table without it')
    .addOption(new Option('--shape <shape>', 'with --from-spreadsheet').choices(['rows', 'record']))
    .option('--save-schema <name>', 'keep the schema under this name')
    .option('--citations', 'with the places on the pages');
  addRunOptions(addSendOptions(command), 'the key of the run; without it, it follows from the files and the schema')
    .option('--poll-interval <seconds>', 'longest pause between two looks')
    .option('--timeout <seconds>', 'longest wait; the run goes on')
    .action(extract);
}

async function extract(paths: string[], flags: ExtractFlags, command: Command): Promise<void> {
  const context = CliContext.of(command);
  const members = runMembers(flags);
  const source = sourceOf(flags);
  const { files, clean } = await filesToSend(paths, flags.name);
  try {
    assertCount(files, paths);
    const version = await source(context);
    const digests = await digestFiles(files.map(({ file }) => file));
    const externalId = flags.externalId ?? externalIdOf(digests, version.digest, members);
    const known = await findRun(context, externalId);
    const { run, names } =
      known === undefined
        ? await startRun(context, files, { schemaVersionId: version.id, externalId, ...members })
        : { run: await takeUp(context, known, version), names: new Map<string, string>() };
    const ended = await awaitRun(context, run.id);
    await printResult(context, ended, { citations: flags.citations, names });
    process.exitCode = exitOfRun(ended);
  } finally {
    clean();
  }
}

function assertCount(files: readonly NamedFile[], paths: readonly string[]): void {
  if (files.length === 0) throw new CliError(`there is no file in ${paths.join(', ')}`, EXIT.notFound);
  if (files.length <= MOST_FILES) return;
  throw new CliError(`${files.length} files are more than the ${MOST_FILES} that a run may have`, EXIT.usage);
}

/** Where the schema comes from, of which there is exactly one. @throws CliError `usage` */
function sourceOf(flags: ExtractFlags): (context: CliContext) => Promise<SchemaVersion> {
  const { describe, schema, fromSpreadsheet, saveSchema = null } = flags;
  const said = [describe, schema, fromSpreadsheet].filter((one) => one !== undefined);
  if (said.length !== 1) {
    throw new CliError('say what to look for by one of --describe, --schema and --from-spreadsheet', EXIT.usage);
  }
  if (describe !== undefined) return (context) => versionFromWords(context, describe, saveSchema);
  if (fromSpreadsheet !== undefined) {
    return (context) => versionFromSheet(context, fromSpreadsheet, flags, saveSchema);
  }
  const named = schema ?? '';
  if (isCallerFile(named)) return (context) => versionFromFile(context, named, saveSchema);
  if (saveSchema !== null) throw new CliError('--save-schema is for a schema that is not kept yet', EXIT.usage);
  return (context) => schemaVersionOf(context, named);
}

interface StartedRun {
  run: Run;
  /** Of the documents, by the ids of their versions. */
  names: Map<string, string>;
}

/** Sends the files and starts a run over them, which waits by itself until they have been read. */
async function startRun(context: CliContext, files: readonly NamedFile[], members: object): Promise<StartedRun> {
  const names = new Map<string, string>();
  for (const file of files) {
    const { document, version } = await sendFile(context, file);
    names.set(version.id, document.name);
  }
  const body = { ...members, documentVersionIds: [...names.keys()] };
  const run = await context.api.object<Schemas['StartedExtraction']>(runsPath(context), { method: 'POST', body });
  if (run.replayed) context.note(`run ${run.id} was started by another command with the same files and schema`);
  return { run, names };
}

/** A run that there is already: nothing is sent, and one that came to nothing is done again. @throws CliError `conflict` */
async function takeUp(context: CliContext, known: Run, version: SchemaVersion): Promise<Run> {
  await assertSameSchema(context, known, version);
  const isLost = known.status === 'failed' || known.status === 'cancelled';
  context.note(`run ${known.id} is there already${isLost ? `, and ${known.status}; it is done again` : ''}`);
  if (!isLost) return known;
  return context.api.object<Run>(`${runPath(known.id)}/retry`, { method: 'POST', body: {} });
}

/** Versions of two schemas may say the same. */
async function assertSameSchema(context: CliContext, known: Run, { id, digest }: SchemaVersion): Promise<void> {
  const { schemaVersionId } = known;
  if (schemaVersionId === id) return;
  const other = await context.api.object<SchemaVersion>(`/api/schema-versions/${schemaVersionId}`);
  if (other.digest === digest) return;
  throw new CliError(`${known.externalId} is the key of run ${known.id}, which has another schema`, EXIT.conflict);
}
