import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * A folder at the top of this installation, seen from the sources as from the built output.
 * @param marker a file that it holds, so that no other folder of the name is taken for it
 * @throws Error when the installation is not whole
 */
export function installationFolder(name: string, marker: string): string {
  let above = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(above, name, marker))) {
    const next = dirname(above);
    if (next === above) throw new Error(`the folder ${name} is missing from this installation`);
    above = next;
  }
  return join(above, name);
}
