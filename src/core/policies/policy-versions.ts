import { SandgateError } from '../../domain/errors.js';
import type { JsonObject } from '../../domain/json.js';
import type { TenantTransaction } from '../record/database.js';
import { newRowId } from '../../platform/postgres/row-id.js';
import { CLOCK, insertUnlessThere, updateRow } from '../../platform/postgres/write-rows.js';
import { isStorableText } from '../../domain/storage/storable-text.js';
import { notFound } from '../../domain/resource-id.js';
import { PolicyEntity, PolicyVersionEntity } from './policy.entity.js';

const INT32_MAX = 2_147_483_647;

/** A policy with one of its versions. */
export interface PolicyAt {
  policy: PolicyEntity;
  version: PolicyVersionEntity;
}

/** What a new version holds besides its number. */
export interface NewVersion {
  content: JsonObject;
  yaml: string | null;
  summary: string | null;
  author: 'api' | 'ui';
}

export async function findPolicy(tx: TenantTransaction, name: string): Promise<PolicyEntity | null> {
  return isStorableText(name) ? tx.manager.findOneBy(PolicyEntity, { name }) : null;
}

/** @throws SandgateError `not_found`; a name that no row can hold names none */
export async function requirePolicy(tx: TenantTransaction, name: string): Promise<PolicyEntity> {
  const policy = await findPolicy(tx, name);
  if (policy === null) throw notFound('policy');
  return policy;
}

/**
 * The policy, which nobody else changes until this transaction ends. Those who freeze its head or point an agent at it are not held
 * up: only a deletion waits for them, and they for it.
 *
 * @throws SandgateError `not_found`
 */
export async function lockPolicy(
  tx: TenantTransaction,
  name: string,
  mode: 'append' | 'delete',
): Promise<PolicyEntity> {
  const policy = !isStorableText(name)
    ? null
    : await tx.manager.findOne(PolicyEntity, {
        where: { name },
        lock: { mode: mode === 'append' ? 'for_no_key_update' : 'pessimistic_write' },
      });
  if (policy === null) throw notFound('policy');
  return policy;
}

/** The identity of that name, locked as by {@link lockPolicy}, made if it is missing. Two who make it at once get the same. */
export async function ensurePolicy(tx: TenantTransaction, name: string): Promise<PolicyEntity> {
  await tx.manager
    .createQueryBuilder()
    .insert()
    .into(PolicyEntity)
    .values({ id: newRowId(), tenant_id: tx.organizationId, name })
    .orUpdate(['name'], ['tenant_id', 'name'])
    .updateEntity(false)
    .execute();
  return lockPolicy(tx, name, 'append');
}

/** A new identity, or null when the name is taken. */
export function createPolicy(tx: TenantTransaction, name: string): Promise<PolicyEntity | null> {
  return insertUnlessThere(tx, PolicyEntity, { id: newRowId(), tenant_id: tx.organizationId, name });
}

/** The head is the highest version number, never the newest time. A policy without a version is a defect. */
export async function readHeadVersion(tx: TenantTransaction, policy: PolicyEntity): Promise<PolicyVersionEntity> {
  return requireVersion(await findHeadVersion(tx, policy), policy);
}

/** The policy of that id with its head. */
export async function readAtHead(tx: TenantTransaction, id: string): Promise<PolicyAt> {
  const policy = await tx.manager.findOneByOrFail(PolicyEntity, { id });
  return { policy, version: await readHeadVersion(tx, policy) };
}

/** Null only for an identity that this transaction has just made. */
export function findHeadVersion(tx: TenantTransaction, policy: PolicyEntity): Promise<PolicyVersionEntity | null> {
  return tx.manager.findOne(PolicyVersionEntity, { where: { policy_id: policy.id }, order: { version: 'DESC' } });
}

/** Heads of all policies, by policy id. */
export async function readHeads(tx: TenantTransaction): Promise<Map<string, PolicyVersionEntity>> {
  const heads = await tx.manager
    .createQueryBuilder(PolicyVersionEntity, 'version')
    .distinctOn(['version.policy_id'])
    .orderBy('version.policy_id')
    .addOrderBy('version.version', 'DESC')
    .getMany();
  return new Map(heads.map((head) => [head.policy_id, head]));
}

export async function findVersion(
  tx: TenantTransaction,
  policy: PolicyEntity,
  version: number,
): Promise<PolicyVersionEntity | null> {
  if (version < 1 || version > INT32_MAX) return null;
  return tx.manager.findOneBy(PolicyVersionEntity, { policy_id: policy.id, version });
}

export function requireVersion(
  version: PolicyVersionEntity | null | undefined,
  policy: PolicyEntity,
): PolicyVersionEntity {
  if (version === null || version === undefined) throw new Error(`policy ${policy.id} has no version`);
  return version;
}

/** @throws SandgateError `conflict` naming both versions when the head is not the one that the caller knows */
export function requireBase(head: PolicyVersionEntity, baseVersion: number, name: string): void {
  if (head.version === baseVersion) return;
  throw new SandgateError(
    'conflict',
    `base_version: the head of ${name} is version ${head.version}, not ${baseVersion}; nothing was written`,
  );
}

/** Appends after `head`; the policy must be locked by this transaction. */
export async function appendVersion(
  tx: TenantTransaction,
  policy: PolicyEntity,
  head: PolicyVersionEntity | null,
  { content, yaml, summary, author }: NewVersion,
): Promise<PolicyAt> {
  const id = newRowId();
  await tx.manager.insert(PolicyVersionEntity, {
    id,
    tenant_id: policy.tenant_id,
    policy_id: policy.id,
    version: (head?.version ?? 0) + 1,
    content,
    yaml_source: yaml,
    summary,
    author,
    author_user_id: null,
  });
  const touched = await updateRow(tx, PolicyEntity, { id: policy.id }, { updated_at: CLOCK });
  const version = await tx.manager.findOneByOrFail(PolicyVersionEntity, { id });
  return { policy: { ...policy, updated_at: touched?.updated_at ?? policy.updated_at }, version };
}

/** Erases the identity with all its versions. */
export async function deletePolicy(tx: TenantTransaction, id: string): Promise<void> {
  await tx.manager.delete(PolicyEntity, { id });
}
