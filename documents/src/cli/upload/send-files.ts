import type { Command } from 'commander';
import type { CliContext } from '../context/cli-context.js';
import type { Schemas } from '../server/schemas.js';
import { callerPath } from '../settings/caller-folder.js';
import { CliError, EXIT } from '../terminal/exit-codes.js';
import { collectFiles, spoolInput, type NamedFile } from './collect-files.js';
import { uploadFile } from './upload-file.js';

/** Adds the flags of a command that sends files. */
export function addSendOptions(command: Command): Command {
  return command
    .option('--name <name>', 'what the document is called, for one file')
    .option('--concurrency <number>', 'parts that are sent at once')
    .option('--retry-attempts <number>', 'further tries of a part');
}

/**
 * The files that somebody named, folders with all that is in them; `-` is standard input, which `clean` removes.
 *
 * @throws CliError `usage`, `notFound`
 */
export async function filesToSend(
  paths: readonly string[],
  name: string | undefined,
): Promise<{ files: NamedFile[]; clean: () => void }> {
  const keep = (): void => undefined;
  if (paths.includes('-')) {
    if (paths.length > 1 || name === undefined) throw new CliError('- stands alone, and needs --name', EXIT.usage);
    const { file, remove } = await spoolInput(process.stdin);
    return { files: [{ file, name }], clean: remove };
  }
  const files = await collectFiles(callerPath('.'), paths);
  if (name === undefined) return { files, clean: keep };
  const [only] = files;
  if (only === undefined || files.length > 1) throw new CliError('--name is for one file', EXIT.usage);
  return { files: [{ ...only, name }], clean: keep };
}

/** Sends one file, and says how far it is. */
export function sendFile(context: CliContext, { file, name }: NamedFile): Promise<Schemas['AddedVersion']> {
  return uploadFile(context, { file, name, progress: meter(context, name) });
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
