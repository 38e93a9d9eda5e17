/** The folder that holds the program `gitea` and its static files. */
export function giteaHome(): string;
/** Builds Gitea where the cache has none. */
export function ensureGitea(): void;
