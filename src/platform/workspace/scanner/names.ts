/** Code points that some file systems ignore in names, so that `.g\u200cit` opens `.git`. */
const IGNORABLE = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/**
 * Whether git, on any platform, takes this part of a path for a repository's own folder and therefore refuses it in an index or a
 * patch: `.git` in any case, its short name `git~1`, either followed by dots, spaces, a stream or a backslash.
 */
export function isGitAlias(name: Buffer): boolean {
  const first = name.toString('utf8').replace(IGNORABLE, '').toLowerCase().split(/[:\\]/)[0] ?? '';
  const trimmed = first.replace(/[. ]+$/, '');
  return trimmed === '.git' || trimmed === 'git~1';
}

const BUILD_FOLDERS = new Set(['__pycache__', '.pytest_cache', 'node_modules', 'target', '.venv', 'venv']);

/** Folders of build products, which a diff leaves out and lists instead (docs/design/workspaces.md). */
export function isBuildFolder(name: string): boolean {
  return BUILD_FOLDERS.has(name) || name.endsWith('.egg-info');
}

export function isBuildFile(name: string): boolean {
  return name === '.DS_Store' || /\.(?:pyc|pyo|class)$/.test(name);
}

/** The same list in the notation of an ignore file, for the agent's own git. */
export const BUILD_PATTERNS = [
  '__pycache__/',
  '*.pyc',
  '*.pyo',
  '.pytest_cache/',
  'node_modules/',
  '.DS_Store',
  '*.class',
  'target/',
  '.venv/',
  'venv/',
  '*.egg-info/',
];
