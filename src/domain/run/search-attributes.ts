/** What operators search runs by in Temporal (docs/design/workflows.md): names, and their types as Temporal's commands write them. */
export const RUN_SEARCH_ATTRIBUTES = {
  SandgateOrg: 'Keyword',
  SandgateAgent: 'Keyword',
  SandgateStatus: 'Keyword',
  SandgatePendingApprovals: 'Int',
} as const;

export type RunSearchAttribute = keyof typeof RUN_SEARCH_ATTRIBUTES;
