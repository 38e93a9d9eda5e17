/** What a member of an organization may be, from least to most (docs/design/identity.md). The rights of each include those before it. */
export const ROLES = ['member', 'approver', 'admin', 'owner'] as const;

export type Role = (typeof ROLES)[number];

/** The most that a set of roles gives; null for an empty set or one of names that this version does not know. */
export function highestRole(roles: readonly string[]): Role | null {
  return ROLES.findLast((role) => roles.includes(role)) ?? null;
}
