import type { ResourceBinding } from '../../domain/connections/resource-binding.js';
import { canonicalJson } from '../../domain/digest/canonical-json.js';
import type { ResultDestination } from '../../domain/run/result-destination.js';
import { bindingProblem } from '../bindings/recheck-binding.js';
import { findBindingById } from '../bindings/resource-bindings.js';
import type { TenantTransaction } from '../record/database.js';

/** The result of which run goes where, on behalf of which subscription. */
export interface DestinationUse {
  runId: string;
  subscriptionId: string;
  destination: ResultDestination;
}

/**
 * Looks, before each attempt and before any secret is opened, whether the result may still go there: under the binding that was
 * frozen for exactly this, whose authority and whose starter still stand behind it (docs/design/deliveries.md).
 *
 * @returns the generation under which the authority may be used, or the problem
 */
export async function recheckDestination(
  tx: TenantTransaction,
  use: DestinationUse,
): Promise<{ generation: number } | { problem: string }> {
  const { binding_id: bindingId } = use.destination;
  const binding = bindingId === undefined ? null : await findBindingById(tx, bindingId);
  if (binding === null || binding.runId !== use.runId) return { problem: 'the destination has no binding of this run' };
  const { authority } = binding;
  if (authority.kind === 'none' || !isFrozenFor(binding, use))
    return { problem: 'the binding of the destination was made for something else' };
  const problem = await bindingProblem(tx, binding);
  return problem === null ? { generation: authority.generation } : { problem };
}

function isFrozenFor({ slotKind, authority, resourceScope }: ResourceBinding, use: DestinationUse): boolean {
  const { binding_id: _, ...scope } = use.destination;
  const serves =
    scope.kind === 'signed_webhook'
      ? authority.kind === 'subscription_secret' && authority.subscriptionId === use.subscriptionId
      : authority.kind === 'connection' && authority.connectionId === scope.connection_id;
  return serves && slotKind === 'result_publish' && canonicalJson(resourceScope) === canonicalJson({ ...scope });
}
