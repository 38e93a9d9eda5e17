import type { PathGlob } from './glob.js';
import { compileGlob } from './glob.js';

/** Where every run finds its working files. Relative paths and globs are joined to it (docs/design/policy.md). */
export const WORKSPACE_ROOT = '/workspace';

/** A path of a call after lexical normalisation; `path` is null when where it lands cannot be known, which counts as outside. */
export interface CandidatePath {
  /** As the call wrote it. */
  text: string;
  path: string | null;
}

const VARIABLE = /[$`]/;
/** A segment that folds, or a slash at the end. */
const FOLDS = /\/(?:\.\.?)?(?:\/|$)/;
const GLOB_SPECIAL = /[*?[{\\]/;

/** Resolves a path lexically against an absolute directory; no symlink is followed, since the verdict must not depend on the host. */
export function resolvePath(text: string, directory: string | null = WORKSPACE_ROOT): CandidatePath {
  if (text.startsWith('~') || VARIABLE.test(text) || text.includes('\0')) return { text, path: null };
  if (text.startsWith('/')) return { text, path: foldSegments(text) };
  if (directory === null) return { text, path: null };
  return { text, path: foldSegments(`${directory}/${text}`) };
}

/** Folds `.`, `..` and repeated slashes of an absolute path; a trailing slash stays. */
export function foldSegments(path: string): string {
  if (!FOLDS.test(path)) return path;
  const kept: string[] = [];
  const segments = path.split('/');
  for (const segment of segments) {
    if (segment === '..') kept.pop();
    else if (segment !== '' && segment !== '.') kept.push(segment);
  }
  const directory = kept.length > 0 && ['', '.', '..'].includes(segments.at(-1)!) && segments.at(-1) !== '..';
  return `/${kept.join('/')}${directory ? '/' : ''}`;
}

/** Files that hold git's settings, hooks and objects, or say where they are. */
const STEERS_GIT = new Set(['HEAD', 'commondir', 'gitdir', 'config', 'config.worktree']);
/** Anywhere else: a folder that holds one may be a repository whose files lie bare in it. */
const BARE = new Set(['HEAD', 'commondir', 'gitdir']);
/** Whether a path may be such a file at all; most are not. */
const MAY_STEER = new RegExp(`(?:^|/)(?:\\.git(?:/|$)|(?:${[...BARE].join('|')})/?$)`);
const PROTECTED = ['config', 'hooks/pre-commit', 'HEAD'];

/**
 * Files that a write to the path stands for, because it makes its folder a repository or leads git to another one: a file `.git`,
 * `.git/commondir`, or `HEAD` beside which the rest of a repository may lie bare (CP-338). Empty for every other path.
 */
export function repositoryFilesOf(path: string): string[] {
  if (!MAY_STEER.test(path)) return [];
  const segments = (path.endsWith('/') ? path.slice(0, -1) : path).split('/');
  const git = segments.indexOf('.git');
  const name = segments.at(-1)!;
  const inside = git !== -1 && (git === segments.length - 1 || STEERS_GIT.has(name) || segments.includes('hooks', git));
  if (!inside && !BARE.has(name)) return [];
  const folder = segments.slice(0, inside ? git : -1).map((segment) => `${segment}/`);
  return PROTECTED.map((file) => `${folder.join('')}.git/${file}`);
}

/** Matches a glob as written, and joined to the workspace when it is relative, so that a relative deny goes on matching. */
export function compilePathGlob(glob: string): PathGlob {
  if (glob.startsWith('/')) return compileGlob(foldGlob(glob));
  const verbatim = compileGlob(glob);
  if (glob.startsWith('*')) return verbatim;
  const joined = compileGlob(foldGlob(`${WORKSPACE_ROOT}/${glob}`));
  return { matches: (path) => verbatim.matches(path) || joined.matches(path) };
}

/** Folds the leading segments that hold no glob syntax. */
function foldGlob(glob: string): string {
  const segments = glob.split('/');
  const firstSpecial = segments.findIndex((segment) => GLOB_SPECIAL.test(segment));
  const literal = firstSpecial === -1 ? segments : segments.slice(0, firstSpecial);
  const rest = firstSpecial === -1 ? [] : segments.slice(firstSpecial);
  const folded = foldSegments(literal.join('/') || '/');
  if (rest.length === 0) return folded;
  return `${folded === '/' ? '' : folded.replace(/\/$/, '')}/${rest.join('/')}`;
}
