/** What a credential may be allowed to do. */
export const SCOPES = [
  'workspaces:read',
  'projects:read',
  'documents:read',
  'schemas:read',
  'extractions:read',
  'search:read',
  'webhooks:read',
  'documents:write',
  'schemas:write',
  'extractions:write',
  'projects:write',
  'documents:delete',
  'workspaces:write',
  'webhooks:write',
  'clients:manage',
  'audit:read',
] as const;

export type Scope = (typeof SCOPES)[number];

export const ROLES = ['viewer', 'editor', 'admin'] as const;
export type Role = (typeof ROLES)[number];

const EDITS: readonly Scope[] = ['documents:write', 'schemas:write', 'extractions:write', 'projects:write'];
const READS = SCOPES.slice(0, 7);

/** The scopes that each role comes to, the smallest role first. */
export const SCOPES_OF_ROLE: Readonly<Record<Role, readonly Scope[]>> = {
  viewer: READS,
  editor: [...READS, ...EDITS],
  admin: SCOPES,
};

export function isScope(text: string): text is Scope {
  return (SCOPES as readonly string[]).includes(text);
}

/** The smallest role that may do all of it. */
export function roleOf(scopes: readonly Scope[]): Role {
  return ROLES.find((role) => scopes.every((scope) => SCOPES_OF_ROLE[role].includes(scope))) ?? 'admin';
}

/** Names in the order of {@link SCOPES}, each once. */
export function orderScopes(scopes: readonly Scope[]): Scope[] {
  return SCOPES.filter((scope) => scopes.includes(scope));
}
