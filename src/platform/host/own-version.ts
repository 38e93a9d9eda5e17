import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { installationFolder } from './installation-folder.js';

/** The version of this build of Sandgate. */
export function ownVersion(): string {
  const path = join(installationFolder('.', 'package.json'), 'package.json');
  return (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version;
}
