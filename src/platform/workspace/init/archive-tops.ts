/** The two folders of a packed workspace: what the agent works on, and what it started from. */
export const ARCHIVE_TOPS = { workspace: 'repo', baseline: 'baseline-git' } as const;
