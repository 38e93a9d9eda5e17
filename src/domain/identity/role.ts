/**
 * The roles of a member of an organization, from least to most (docs/design/identity.md). The rights of each include those before
 * it.
 */
export const ROLES = ['member', 'approver', 'admin', 'owner'] as const;

export type Role = (typeof ROLES)[number];

/** The highest role of a set; null when the set is empty or has only names that this version does not know. */
export function highestRole(roles: readonly string[]): Role | null {
  return ROLES.findLast((role) => roles.includes(role)) ?? null;
}

/** Whether a role shows the runs of others, and those that no person started; a plain member sees their own alone. */
export function seesAllRuns(role: Role): boolean {
  return role !== 'member';
}
