import type { Command } from 'commander';
import { CliContext } from '../context/cli-context.js';
import type { Schemas } from '../server/schemas.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';
import { awaitVersion, exitOfVersion } from '../upload/await-version.js';
import type { NamedFile } from '../upload/collect-files.js';
import { addSendOptions, filesToSend, sendFile } from '../upload/send-files.js';
import { groupOf } from '../verbs/verb.js';

const COLUMNS = { File: 'file', Document: 'documentId', Name: 'name', Version: 'version', Status: 'status' };

interface UploadFlags {
  name?: string;
  wait?: boolean;
}

/** `upload`, and `uploads resume`, which is the same: a file goes on where it was. */
export function addUpload(program: Command): void {
  const flags = (command: Command): Command =>
    addSendOptions(command)
      .option('--poll-interval <seconds>', 'between two looks with --wait')
      .option('--timeout <seconds>', 'longest wait with --wait');
  const upload = flags(program.command('upload <path...>'))
    .description('send files, folders or - (standard input); what was broken off goes on where it was')
    .option('--wait', 'until it has been read');
  upload.action((paths: string[]) => run(paths, upload));
  const resume = flags(groupOf(program, 'uploads').command('resume <path...>'))
    .description('go on with uploads of these files that were broken off')
    .option('--wait', 'until it has been read');
  resume.action((paths: string[]) => run(paths, resume));
}

async function run(paths: readonly string[], command: Command): Promise<void> {
  const flags = command.optsWithGlobals<UploadFlags>();
  const context = CliContext.open(flags as Record<string, unknown>);
  const { files, clean } = await filesToSend(paths, flags.name);
  try {
    const rows: SentRow[] = [];
    let worst: ExitCode = EXIT.ok;
    for (const file of files) {
      const row = rowOf(file, await sendFile(context, file));
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

interface SentRow {
  file: string;
  documentId: string;
  name: string;
  version: number;
  status: string;
}

function rowOf({ file }: NamedFile, { document, version }: Schemas['AddedVersion']): SentRow {
  const { version: number, status } = version;
  return { file, documentId: document.id, name: document.name, version: number, status };
}
