import type { DirectoryHandle } from '../host/directory-handle.js';
import { readSmallFile } from './ignore-rules.js';

const SECRET_NAMES = [/^\.env/i, /\.pem$/i, /^id_/i, /^\.netrc$/i];
const NPM_TOKEN = /(?:^|:)\s*_?(?:authToken|auth|password)\s*=/im;

/**
 * Files that a local copy never takes, whatever the repository tracks and whatever `include` asks for (docs/design/workspaces.md):
 * `.env*`, `*.pem`, `id_*`, `.netrc`, and an `.npmrc` that holds a token.
 */
export async function isSecretFile(folder: DirectoryHandle, name: string): Promise<boolean> {
  if (SECRET_NAMES.some((pattern) => pattern.test(name))) return true;
  if (name.toLowerCase() !== '.npmrc') return false;
  const text = await readSmallFile(folder, name);
  return text === undefined || NPM_TOKEN.test(text);
}
