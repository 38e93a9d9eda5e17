/** Words that paths under `/v1/policies` use themselves, or that no address can hold (docs/design/policy.md). Exact and case-sensitive. */
const RESERVED_POLICY_NAMES: ReadonlySet<string> = new Set(['validate', 'preview', 'clone', '.', '..']);

/** What a clone may be called; imported names are bounded by the document grammar alone. */
export const CLONE_NAME_PATTERN = '^(?!\\.)[A-Za-z0-9._-]{1,64}$';

export function isReservedPolicyName(name: string): boolean {
  return RESERVED_POLICY_NAMES.has(name);
}
