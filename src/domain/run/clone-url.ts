/** Why a run may not name this `clone_url`, or undefined when it is well-formed (docs/design/workspaces.md). */
export function cloneUrlProblem(given: string): string | undefined {
  // eslint-disable-next-line no-control-regex -- finding control characters is the purpose
  if (/[\u0000-\u0020\u007f\\]/.test(given)) return 'must not contain white space, control characters or backslashes';
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//.exec(given)?.[1];
  if (scheme === 'file') return fileUrlProblem(given);
  if (scheme !== 'https') return 'must start with https:// or file://';
  if (!URL.canParse(given)) return 'is not a valid URL';
  const url = new URL(given);
  if (url.username !== '' || url.password !== '') return 'must not carry credentials';
  if (url.search !== '' || url.hash !== '') return 'must not carry a query or a fragment';
  if (url.pathname === '/' || url.pathname === '') return 'must name a repository';
  return undefined;
}

/** The absolute path that a `file://` URL names; only for URLs that passed {@link cloneUrlProblem}. */
export function fileUrlPath(url: string): string {
  return url.slice(url.startsWith('file://localhost/') ? 'file://localhost'.length : 'file://'.length);
}

/**
 * Whether a connection's credential may be shown to whoever answers at a clone URL: same scheme, host and port as the clone base, and
 * below its folder when it is one of this host. Both passed {@link cloneUrlProblem}.
 */
export function isBelowCloneBase(base: string, url: string): boolean {
  if (base.startsWith('file://') || url.startsWith('file://')) {
    return url.startsWith('file://') && `${fileUrlPath(url)}/`.startsWith(`${fileUrlPath(base)}/`);
  }
  return new URL(base).origin === new URL(url).origin;
}

function fileUrlProblem(given: string): string | undefined {
  if (!given.startsWith('file:///') && !given.startsWith('file://localhost/'))
    return 'of scheme file must not name a host: write file:///path';
  const path = fileUrlPath(given);
  if (path.includes('%')) return 'of scheme file must not contain percent escapes';
  if (path.includes('?') || path.includes('#')) return 'must not carry a query or a fragment';
  if (path.split('/').some((part) => part === '..' || part === '.'))
    return 'of scheme file must not contain . or .. parts';
  return undefined;
}
