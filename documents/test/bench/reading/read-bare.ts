import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { FileRead } from './jailed-reading.js';

const BARE = fileURLToPath(new URL('bare-liteparse.js', import.meta.url));

/** Reads a PDF through liteparse alone, in one process; the time begins when the library is loaded. */
export async function readBare(file: string): Promise<FileRead> {
  const { stdout } = await promisify(execFile)(process.execPath, [BARE, file]);
  return JSON.parse(stdout) as FileRead;
}
