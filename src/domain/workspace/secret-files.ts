const SECRET_NAMES = [/^\.env/i, /\.pem$/i, /^id_/i, /^\.netrc$/i];
const NPM_TOKEN = /(?:^|:)\s*_?(?:authToken|auth|password)\s*=/im;

/**
 * How a file is known for a secret that no workspace gets, whatever a repository tracks and whatever is asked for
 * (docs/design/workspaces.md): `.env*`, `*.pem`, `id_*` and `.netrc` by their names, an `.npmrc` by a token in it.
 */
export function secretSignOf(name: string): 'name' | 'content' | 'none' {
  if (SECRET_NAMES.some((pattern) => pattern.test(name))) return 'name';
  return name.toLowerCase() === '.npmrc' ? 'content' : 'none';
}

/** Whether the text of an `.npmrc` holds a token. */
export function holdsToken(text: string): boolean {
  return NPM_TOKEN.test(text);
}
