/** Limits of what a workspace is made of on this host or is sent to it (docs/design/workspaces.md). */
export const MAX_SELECTED_BYTES = 2 * 1024 ** 3;
export const MAX_SELECTED_FILES = 200_000;

/** How long a workspace that was sent waits for its run. */
export const UPLOAD_TTL_SECS = 3600;
/** What one caller may have waiting for runs. */
export const MAX_UNUSED_UPLOADS = 8;
export const MAX_UNUSED_UPLOAD_BYTES = 4 * 1024 ** 3;

/** How many files the client left out of what it sends. */
export const LEFT_OUT_HEADER = 'x-sandgate-left-out';
/** The commit that the client's files were changed from. */
export const BASE_COMMIT_HEADER = 'x-sandgate-base-commit';
