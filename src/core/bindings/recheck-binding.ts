import type { ResourceBinding } from '../../domain/connections/resource-binding.js';
import type { Database, TenantTransaction } from '../record/database.js';
import { findRow } from '../record/query-row.js';

/** The current state of the authority that a binding was frozen with, as `svc_current_authority` reads it. */
export interface CurrentAuthority {
  status: string | null;
  authorization_generation: number | null;
  owner_type: string | null;
  owner_user_id: string | null;
  invoker_active: boolean;
  owner_active: boolean;
  /** Of the callback of the subscription that the binding names; null without one, or where it is gone. */
  subscription_generation: number | null;
}

/** The call of a run that a connection is used for, by its binding. */
export interface CallUse {
  runId: string;
  bindingId: string;
}

/**
 * The authorization check of a call: whether its run accepts work, and its current authority, as `svc_check_authorization` reads them.
 */
export interface AuthorizationCheck {
  accepts: boolean | null;
  current: CurrentAuthority | null;
}

/**
 * Why a binding must not be used any more, or null; checked before every use of a credential (CP-309, CP-314). Of two
 * reasons the earlier one in the order of docs/design/connections.md is told. The model may read it: it names the slot and never
 * the connection.
 */
export async function bindingProblem(tx: TenantTransaction, binding: ResourceBinding): Promise<string | null> {
  const [current] = await tx.query<CurrentAuthority>('select * from svc_current_authority($1)', [binding.id]);
  return authorityProblem(binding, current ?? null);
}

/** As {@link bindingProblem}, for an authority that was just read. */
export function authorityProblem(binding: ResourceBinding, current: CurrentAuthority | null): string | null {
  const { authority, resolvedBy, slot } = binding;
  if (current === null) return `the binding of slot ${slot} is not this organization's`;
  const invoker = invokerProblem(resolvedBy.kind, current.invoker_active);
  if (invoker !== null) return invoker;
  if (authority.kind === 'none') return null;
  if (authority.kind === 'subscription_secret')
    return current.subscription_generation === authority.generation
      ? null
      : `the callback of the trigger was changed after this run started — slot ${slot} is stale`;
  const subject = `the connection bound to slot ${slot}`;
  if (current.status !== 'active') return `${subject} is ${current.status ?? 'gone'} — reconnect it`;
  if (current.authorization_generation !== authority.generation)
    return `${subject} was reauthorized after this run started — its binding is stale`;
  if (current.owner_type !== authority.ownerType || current.owner_user_id !== authority.ownerUserId)
    return `${subject} has another owner than when this run started — its binding is stale`;
  if (authority.ownerType === 'user' && !current.owner_active)
    return `${subject} is personal, and its owner's membership is not active`;
  return null;
}

/** One round trip. */
export function checkAuthorization(
  db: Database,
  organizationId: string,
  use: CallUse,
): Promise<AuthorizationCheck | null> {
  return findRow<AuthorizationCheck>(db.pool, {
    name: 'svc_check_authorization',
    text: 'select * from svc_check_authorization($1, $2, $3)',
    values: [organizationId, use.runId, use.bindingId],
  });
}

/** Why a call whose claim is taken must not be sent any more, or null. */
export function authorizationProblem(
  binding: ResourceBinding,
  authorization: AuthorizationCheck | null | undefined,
): string | null {
  if (authorization?.accepts !== true) return 'the run was stopped before the call was sent';
  return authorityProblem(binding, authorization.current);
}

/** Unattended runs act for a subscription; one that cannot be found counts as revoked. */
function invokerProblem(kind: ResourceBinding['resolvedBy']['kind'], active: boolean): string | null {
  switch (kind) {
    case 'operator':
    case 'system':
      return null;
    case 'user':
      return active ? null : 'the user who started this run is no longer an active member of the organization';
    case 'trigger':
    case 'schedule':
    case 'webhook':
      return active ? null : `the ${kind} that started this run was revoked or disabled`;
  }
}
