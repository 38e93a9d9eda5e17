/** Who a connection belongs to, as far as a decision about a call through it is concerned. */
export interface ConnectionOwner {
  type: 'organization' | 'user';
  userId: string | null;
}

/** With whose authority an asked call would act (docs/design/identity.md). */
export type CallAuthority =
  | { kind: 'credentialless' }
  | { kind: 'organization' }
  /** The network of a whole run, which the organization gives and nobody gives to themselves. */
  | { kind: 'grant' }
  /** Everyone whose own account the call would use: one person, unless the row and the binding contradict each other. */
  | { kind: 'personal'; owners: readonly (string | null)[] }
  /** The tool is of a slot whose binding or connection cannot be found. */
  | { kind: 'unbound' };

/**
 * The authority of a call, from the owner that was frozen with the run and the one that the connection has now. Where they differ the
 * personal side wins: nobody but a person may decide what is done in that person's name.
 */
export function authorityOfCall(call: {
  /** It is the question about the run's network. */
  isGrant: boolean;
  isMcp: boolean;
  isBrokered: boolean;
  frozen: ConnectionOwner | null;
  current: ConnectionOwner | null;
}): CallAuthority {
  if (call.isGrant) return { kind: 'grant' };
  if (!call.isMcp) return { kind: 'credentialless' };
  if (!call.isBrokered) return { kind: 'organization' };
  const { frozen, current } = call;
  if (frozen === null || current === null) return { kind: 'unbound' };
  const personal = [frozen, current].filter(({ type }) => type === 'user');
  if (personal.length === 0) return { kind: 'organization' };
  return { kind: 'personal', owners: personal.map(({ userId }) => userId) };
}

/** Who decides, approving and denying alike. */
export interface Decider {
  /** Null for the operator, who has no personal identity. */
  userId: string | null;
  /** Whether the caller may decide for the organization: an approver, an administrator, the operator. */
  forOrganization: boolean;
}

/**
 * Why the caller must not decide a call, or null (CP-203, CP-204). No role and no operator stands in for the owner of a
 * personal connection.
 */
export function decisionProblem(
  authority: CallAuthority,
  decider: Decider,
  invokedByUserId: string | null,
): string | null {
  const isInvoker = decider.userId !== null && decider.userId === invokedByUserId;
  switch (authority.kind) {
    case 'personal': {
      const isOwner = authority.owners.every((owner) => owner !== null && owner === decider.userId);
      if (isOwner && isInvoker) return null;
      return 'this call acts through a personal connection: only its owner decides it, on a run that the owner started';
    }
    case 'grant':
      return decider.forOrganization && !isInvoker
        ? null
        : 'a network grant is authorized by the organization: an approver, admin or owner who did not start the run';
    case 'unbound':
      return 'the binding of this call is gone: nobody can say any more with whose authority it would act';
    case 'organization':
      return decider.forOrganization
        ? null
        : "this call acts with the organization's authority: deciding it needs the role approver, admin or owner";
    case 'credentialless':
      return decider.forOrganization || isInvoker
        ? null
        : 'deciding a call of a run that somebody else started needs the role approver, admin or owner';
  }
}
