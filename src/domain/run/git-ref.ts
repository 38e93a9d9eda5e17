/**
 * Why `ref` may not be handed to git, or undefined when it may (docs/design/runs.md, docs/design/workspaces.md). Checked when a run is created
 * and again before the fetch: no option, no refspec, no range and no pattern can be smuggled in.
 */
export function refProblem(ref: string): string | undefined {
  if (ref === '') return 'must not be empty';
  if (ref.startsWith('-') || ref.startsWith('.')) return 'must not start with - or .';
  if (ref.includes('..')) return 'must not contain ..';
  // eslint-disable-next-line no-control-regex -- finding control characters is the purpose
  if (/[\u0000-\u001f\u007f]/.test(ref)) return 'must not contain control characters';
  if (/\s/.test(ref)) return 'must not contain white space';
  if (ref.includes(':')) return 'must not contain :';
  if (/[~^?*[\\]/.test(ref) || ref.includes('@{'))
    return 'must be the name of a branch, a tag or a commit, not a pattern or an expression';
  if (ref.startsWith('/') || ref.endsWith('/') || ref.includes('//') || ref.endsWith('.lock') || ref.endsWith('.')) {
    return 'is not a name that git allows';
  }
  return undefined;
}

/** The branch on which an agent works: the ref's own name without its namespace, or `service-work`. */
export function workBranch(ref: string | undefined): string {
  if (ref === undefined) return 'service-work';
  const name = ref.replace(/^refs\/(?:heads|tags|remotes\/[^/]+)\//, '');
  const isPlainName = /^[A-Za-z0-9._/-]+$/.test(name) && refProblem(name) === undefined && !name.includes('/.');
  const isSpecial =
    /^[A-Z_]+$/.test(name) ||
    /^[0-9a-f]{40}$|^[0-9a-f]{64}$/i.test(name) ||
    name.startsWith('refs/') ||
    name.includes('.lock/');
  return isPlainName && !isSpecial ? name : 'service-work';
}
