import type { CompiledGlob, CompiledRule } from './compile-policy.js';
import type { Outcome } from './outcome.js';
import type { CandidatePath } from './paths/path.js';
import { repositoryFilesOf } from './paths/path.js';

type PathOutcome = Pick<Outcome, 'action' | 'decidedBy' | 'pattern' | 'subject'>;

/** Tools that look at files only; every other one may write what it names. */
const READERS = new Set(['Read', 'Grep', 'Glob', 'LS', 'NotebookRead']);

/**
 * Judges the paths of a call of a tool under a rule with `paths` (CP-338): a deny glob first, then a rule that denies, then the
 * allow list. A path whose place is unknown counts as outside, and asks where a deny glob might have hit it. A write that makes a
 * folder a repository counts as a write of that repository's settings and hooks.
 */
export function judgePaths(rule: CompiledRule, tool: string, candidates: readonly CandidatePath[]): PathOutcome {
  const writes = !READERS.has(tool);
  const { allow, deny, restricts } = rule.paths ?? { allow: [], deny: [], restricts: false };
  for (const candidate of candidates) {
    const repositoryFiles = writes ? repositoryFilesOf(candidate.path ?? candidate.text) : [];
    const hit = deny.find(
      (entry) => deniesPath(entry, candidate) || repositoryFiles.some((file) => entry.glob.matches(file)),
    );
    if (hit !== undefined) return outcome('deny', 'path_deny', hit.source, candidate.text);
  }
  const first = candidates[0]?.text ?? null;
  if (rule.rule.action === 'deny') return outcome('deny', 'rule_action', null, first);
  const lost = candidates.find(({ path }) => path === null);
  if (lost !== undefined && (restricts || deny.length > 0)) return outcome('approve', 'path_outside', null, lost.text);
  if (!restricts) return outcome(rule.rule.action, 'rule_action', null, first);
  if (candidates.length === 0) return outcome('approve', 'no_path', null, null);
  const outside = candidates.find(({ path }) => !allow.some(({ glob }) => path !== null && glob.matches(path)));
  if (outside !== undefined) return outcome('approve', 'path_outside', null, outside.text);
  return outcome(rule.rule.action, 'path_allow', null, first);
}

/** A directory is denied with and without its last slash; a path of unknown place by how it is written. */
function deniesPath({ glob }: CompiledGlob, { path, text }: CandidatePath): boolean {
  const place = path ?? text;
  return glob.matches(place) || (place.length > 1 && place.endsWith('/') && glob.matches(place.slice(0, -1)));
}

function outcome(
  action: Outcome['action'],
  decidedBy: Outcome['decidedBy'],
  pattern: string | null,
  subject: string | null,
): PathOutcome {
  return { action, decidedBy, pattern, subject };
}
