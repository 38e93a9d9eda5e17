import type { BindingAuthority, ResourceBinding } from '../../domain/connections/resource-binding.js';
import type { BindingEntity } from './binding.entity.js';

export function toBinding(row: BindingEntity): ResourceBinding {
  const { snapshot_version: snapshotVersion, effective_tools_json: tools, effective_tools_digest: digest } = row;
  return {
    id: row.id,
    organizationId: row.tenant_id,
    runId: row.session_id,
    slotKind: row.slot_kind,
    slot: row.requirement_slot,
    authority: authorityOf(row),
    toolSet: snapshotVersion === null || tools === null || digest === null ? null : { snapshotVersion, tools, digest },
    resourceScope: row.resource_scope,
    resolvedBy: { kind: row.resolved_by_principal_kind, id: row.resolved_by_principal_id },
    bindingMode: row.binding_mode,
  };
}

export function toRow({ authority, toolSet, ...binding }: ResourceBinding): BindingEntity {
  const connection = authority.kind === 'connection' ? authority : null;
  return {
    id: binding.id,
    tenant_id: binding.organizationId,
    session_id: binding.runId,
    requirement_slot: binding.slot,
    slot_kind: binding.slotKind,
    authority_kind: authority.kind,
    connection_id: connection?.connectionId ?? null,
    subscription_id: authority.kind === 'subscription_secret' ? authority.subscriptionId : null,
    authority_generation: authority.kind === 'none' ? null : authority.generation,
    connection_owner_type: connection?.ownerType ?? null,
    connection_owner_user_id: connection?.ownerUserId ?? null,
    snapshot_version: toolSet?.snapshotVersion ?? null,
    effective_tools_json: toolSet?.tools ?? null,
    effective_tools_digest: toolSet?.digest ?? null,
    resource_scope: binding.resourceScope,
    resolved_by_principal_kind: binding.resolvedBy.kind,
    resolved_by_principal_id: binding.resolvedBy.id,
    binding_mode: binding.bindingMode,
  };
}

function authorityOf(row: BindingEntity): BindingAuthority {
  const { connection_id: connectionId, authority_generation: generation, connection_owner_type: ownerType } = row;
  if (row.authority_kind === 'none') return { kind: 'none' };
  if (connectionId !== null && generation !== null && ownerType !== null)
    return { kind: 'connection', connectionId, generation, ownerType, ownerUserId: row.connection_owner_user_id };
  if (row.subscription_id !== null && generation !== null)
    return { kind: 'subscription_secret', subscriptionId: row.subscription_id, generation };
  throw new Error(`binding ${row.id} names no authority`);
}
