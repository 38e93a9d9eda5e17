import { posix } from 'node:path';
import type { ExactJson } from '../../../domain/digest/exact-json.js';
import { isExactObject } from '../../../domain/digest/exact-json.js';
import { WORKSPACE_ROOT } from '../../../domain/policy/paths/path.js';
import { APPENDED } from '../../../domain/policy/shell/words/wrappers.js';
import { analyseLine } from '../../../domain/policy/shell/analyse-line.js';

/** Looking at more than this would make asking slow; no command that a person reads names so many. */
const MAX_PATHS = 2048;

/** Words that may name a file: their value, and what stands behind `=` in an option. */
function candidates(word: string): string[] {
  const at = word.indexOf('=');
  return at === -1 ? [word] : [word, word.slice(at + 1)];
}

function belowWorkspace(directory: string, name: string): string | null {
  if (name === '' || name.includes('\u0000')) return null;
  const path = posix.resolve(directory, name);
  return path.startsWith(`${WORKSPACE_ROOT}/`) ? path.slice(WORKSPACE_ROOT.length + 1) : null;
}

/** What `xargs` appends stands as this in its command. */

/**
 * Words of a call's command that may name a file and that only the run decides, as they are written: a person is told that they are
 * not known beforehand.
 */
export function wordsNotKnown(input: ExactJson): string[] {
  if (!isExactObject(input) || typeof input['command'] !== 'string') return [];
  const { commands, redirects } = analyseLine(input['command']);
  const words = commands.flatMap(({ unknown }) => unknown);
  const opened = redirects.filter(({ candidates }) => candidates.some(({ path }) => path === null));
  const texts = [...words, ...opened.map(({ text }) => text)];
  return [...new Set(texts.map((text) => (text === APPENDED ? 'what `xargs` reads' : text)))];
}

/**
 * Paths below the workspace that a call's command may name, relative to it, without repeats (docs/design/gate.md); null when there are too
 * many to look at. More than the command really opens: a word counts wherever it stands, in its directory and in each one that
 * the line changes to.
 */
export function namedPaths(input: ExactJson): string[] | null {
  if (!isExactObject(input) || typeof input['command'] !== 'string') return [];
  const cwd = typeof input['cwd'] === 'string' ? posix.resolve(WORKSPACE_ROOT, input['cwd']) : WORKSPACE_ROOT;
  const { commands, redirects } = analyseLine(input['command'], cwd);
  const words = commands.flatMap((command) => command.words.filter((word) => word !== null).flatMap(candidates));
  const changes = commands.filter(({ words: [program] }) => program === 'cd' || program === 'pushd');
  const directories = [
    cwd,
    ...changes.flatMap(({ words: [, target] }) => (typeof target === 'string' ? [posix.resolve(cwd, target)] : [])),
  ];
  const opened = redirects.flatMap((redirect) =>
    redirect.candidates.flatMap(({ path }) => (path === null ? [] : [path])),
  );
  const names = [...new Set([...words, ...opened])];
  const from = [...new Set(directories)];
  if (names.length * from.length > MAX_PATHS) return null;
  const paths = names.flatMap((name) => from.map((directory) => belowWorkspace(directory, name)));
  return [...new Set(paths.filter((path) => path !== null))];
}
