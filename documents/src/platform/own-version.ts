import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { installationFolder } from '../../../src/platform/host/installation-folder.js';

/** The version of this build. */
export function ownVersion(): string {
  const path = join(installationFolder('documents', 'package.json'), 'package.json');
  return (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version;
}
