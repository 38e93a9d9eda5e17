import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, relative, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isMissing } from '../../../../src/domain/system-error.js';
import { CliError, EXIT } from '../terminal/exit-codes.js';

/** A file on this host, and what its document is called. */
export interface NamedFile {
  file: string;
  name: string;
}

/**
 * The files that somebody named: files as they are, folders with all that is in them. Files of a folder are named by their path in it,
 * because names have no slashes, with ` - ` between its parts. Links to folders and hidden files of folders are left out.
 *
 * @throws CliError `notFound` for what is not there
 */
export async function collectFiles(folder: string, paths: readonly string[]): Promise<NamedFile[]> {
  const found: NamedFile[] = [];
  for (const path of paths) {
    const absolute = resolve(folder, path);
    if ((await kindOf(absolute, path)) === 'file') found.push({ file: absolute, name: basename(absolute) });
    else for await (const file of filesIn(absolute)) found.push({ file, name: nameIn(absolute, file) });
  }
  return found;
}

/** Keeps what comes in on a file, because parts need its size first. The returned function removes it. */
export async function spoolInput(input: Readable): Promise<{ file: string; remove: () => void }> {
  const folder = mkdtempSync(join(tmpdir(), 'docsvc-'));
  const file = join(folder, 'input');
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    await pipeline(input, createWriteStream(file, { mode: 0o600 }));
  } catch (error) {
    remove();
    throw error;
  }
  return { file, remove };
}

async function kindOf(path: string, named: string): Promise<'file' | 'folder'> {
  try {
    const stats = await stat(path);
    if (stats.isFile()) return 'file';
    if (stats.isDirectory()) return 'folder';
  } catch (error) {
    if (isMissing(error)) throw new CliError(`there is no ${named}`, EXIT.notFound);
    throw error;
  }
  throw new CliError(`${named} is neither a file nor a folder`, EXIT.usage);
}

async function* filesIn(folder: string): AsyncGenerator<string> {
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name.startsWith('.')) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesIn(path);
    else if (entry.isFile()) yield path;
  }
}

function nameIn(folder: string, file: string): string {
  return relative(folder, file).split('/').join(' - ');
}
