import type { Command } from 'commander';
import { CliContext } from '../context/cli-context.js';
import { callerFolder } from '../settings/caller-folder.js';
import { CliError, EXIT, type ExitCode } from '../terminal/exit-codes.js';
import { awaitVersion, exitOfVersion } from '../upload/await-version.js';
import { collectFiles, spoolInput, type NamedFile } from '../upload/collect-files.js';
import { uploadFile } from '../upload/upload-file.js';
import { groupOf } from '../verbs/verb.js';

const COLUMNS = { File: 'file', Document: 'documentId', Name: 'name', Version: 'version', Status: 'status' };

interface UploadFlags {
  name?: string;
  wait?: boolean;
}

/** `upload`, and `uploads resume`, which is the same: a file goes on where it was. */
export function addUpload(program: Command): void {
  const flags = (command: Command): Command =>
    command
      .option('--concurrency <number>', 'parts that are sent at once')
      .option('--retry-attempts <number>', 'further tries of a part')
      .option('--poll-interval <seconds>', 'between two looks with --wait')
      .option('--timeout <seconds>', 'longest wait with --wait');
  const upload = flags(program.command('upload <path...>'))
    .description('send files, folders or - (standard input); what was broken off goes on where it was')
    .option('--name <name>', 'what the document is called, for one file')
    .option('--wait', 'until it has been read');
  upload.action((paths: string[]) => run(paths, upload));
  const resume = flags(groupOf(program, 'uploads').command('resume <path...>'))
    .description('go on with uploads of these files that were broken off')
    .option('--name <name>', 'what the document is called, for one file')
    .option('--wait', 'until it has been read');
  resume.action((paths: string[]) => run(paths, resume));
}

async function run(paths: readonly string[], command: Command): Promise<void> {
  const flags = command.optsWithGlobals<UploadFlags>();
  const context = CliContext.open(flags as Record<string, unknown>);
  const { files, clean } = await filesOf(paths, flags.name);
  try {
    const rows: SentRow[] = [];
    let worst: ExitCode = EXIT.ok;
    for (const file of files) {
      const row = await sendOne(context, file);
      const version = flags.wait === true ? await awaitVersion(context, row.documentId, row.version) : null;
      if (version !== null) worst = Math.max(worst, exitOfVersion(version)) as ExitCode;
      rows.push({ ...row, status: version?.status ?? row.status });
    }
    context.printRows(rows, COLUMNS);
    process.exitCode = worst;
  } finally {
    clean();
  }
}

async function filesOf(
  paths: readonly string[],
  name: string | undefined,
): Promise<{ files: NamedFile[]; clean: () => void }> {
  const keep = (): void => undefined;
  if (paths.includes('-')) {
    if (paths.length > 1 || name === undefined) throw new CliError('- stands alone, and needs --name', EXIT.usage);
    const { file, remove } = await spoolInput(process.stdin);
    return { files: [{ file, name }], clean: remove };
  }
  const files = await collectFiles(callerFolder(process.env, process.cwd()), paths);
  if (name === undefined) return { files, clean: keep };
  const [only] = files;
  if (only === undefined || files.length > 1) throw new CliError('--name is for one file', EXIT.usage);
  return { files: [{ ...only, name }], clean: keep };
}

interface SentRow {
  file: string;
  documentId: string;
  name: string;
  version: number;
  status: string;
}

async function sendOne(context: CliContext, { file, name }: NamedFile): Promise<SentRow> {
  const progress = meter(context, name);
  const { document, version } = await uploadFile(context, { file, name, progress });
  return {
    file,
    documentId: document.id,
    name: document.name,
    version: version.version,
    status: version.status,
  };
}

/** One line for each tenth of a file, and the last one. */
function meter(context: CliContext, name: string): (done: number, all: number) => void {
  let said = -1;
  return (done, all) => {
    const tenth = Math.floor((done * 10) / all);
    if (tenth === said) return;
    said = tenth;
    context.note(`${name}: ${done} of ${all} parts`);
  };
}
