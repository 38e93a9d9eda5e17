import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { extname, join } from 'node:path';

/** Packages whose sources carry the documents with which they are tested: broken, encrypted, turned, scanned, odd of every kind. */
const SOURCES = { pypdf: '7.1.0', ocrmypdf: '17.13.0' } as const;
const ENDINGS = new Set(['.pdf', '.png', '.jpg', '.jpeg', '.tif', '.tiff', '.webp', '.bmp']);
const FETCH_MS = 180_000;

export interface SampleFile {
  /** Such as `pypdf/resources/crazyones.pdf`. */
  name: string;
  bytes: () => Buffer;
}

/** All samples, in order of their names. They are brought from PyPI once, and kept in the cache of this user. */
export function sampleFiles(): SampleFile[] {
  return Object.entries(SOURCES).flatMap(([name, version]) => {
    const folder = sourcesOf(name, version);
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && ENDINGS.has(extname(entry.name).toLowerCase()))
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((file) => ({ name: `${name}${file.slice(folder.length)}`, bytes: () => readFileSync(file) }));
  });
}

function sourcesOf(name: string, version: string): string {
  const cache = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'sandgate', 'document-samples');
  const kept = join(cache, `${name}-${version}`);
  if (existsSync(kept)) return kept;
  mkdirSync(cache, { recursive: true });
  const fresh = mkdtempSync(join(cache, '.fresh-'));
  try {
    const pip = [
      '-m',
      'pip',
      'download',
      '--quiet',
      '--disable-pip-version-check',
      '--no-deps',
      // By its name: what builds it need not be built from its own sources, and that of its builders.
      '--no-binary',
      name,
    ];
    execFileSync('python3', [...pip, '--dest', fresh, `${name}==${version}`], { timeout: FETCH_MS, stdio: 'pipe' });
    execFileSync('tar', ['-xzf', join(fresh, `${name}-${version}.tar.gz`), '-C', fresh], { stdio: 'pipe' });
    // Another suite may have brought them meanwhile.
    if (!existsSync(kept)) renameSync(join(fresh, `${name}-${version}`), kept);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return kept;
}
