import { holdsToken, secretSignOf } from '../../domain/workspace/secret-files.js';
import type { DirectoryHandle } from '../host/directory-handle.js';
import { readSmallFile } from './read-small-file.js';

/** Whether a file of an open folder is a secret that no workspace gets. One that has to be read and cannot be counts as one. */
export async function isSecretFile(folder: DirectoryHandle, name: string): Promise<boolean> {
  const sign = secretSignOf(name);
  if (sign !== 'content') return sign === 'name';
  const text = await readSmallFile(folder, name);
  return text === undefined || holdsToken(text);
}
