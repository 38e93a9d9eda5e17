import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Writes a file and renames it into place: a program that starts meanwhile finds the old one or the new one, whole. */
export async function replaceFile(file, contents) {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(`${file}.next`, contents);
  await rename(`${file}.next`, file);
}
