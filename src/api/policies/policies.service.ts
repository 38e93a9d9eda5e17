import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/db/database.js';
import type { TenantTransaction } from '../../platform/db/database.js';
import { notFound } from '../http/resource-id.js';
import { PolicyEntity, PolicyVersionEntity } from './policy.entity.js';
import { toPolicyView, type PolicyView } from './policies.dto.js';

const INT32_MAX = 2_147_483_647;

/** Reads policies and their versions (chapter 30 §6). */
@Injectable()
export class PoliciesService {
  constructor(private readonly database: Database) {}

  list(organizationId: string): Promise<PolicyView[]> {
    return this.database.withTenant(organizationId, async (tx) => {
      const policies = await tx.manager.find(PolicyEntity, { order: { name: 'ASC' } });
      const heads = await readHeads(tx);
      return policies.map((policy) => toPolicyView(policy, requireVersion(heads.get(policy.id), policy)));
    });
  }

  readHead(organizationId: string, name: string): Promise<PolicyView> {
    return this.database.withTenant(organizationId, async (tx) => {
      const policy = await tx.manager.findOneBy(PolicyEntity, { name });
      if (policy === null) throw notFound();
      return toPolicyView(policy, await readHeadVersion(tx, policy));
    });
  }

  /** `version` is the path's text; one that is no int32 names no version. */
  readVersion(organizationId: string, name: string, version: string): Promise<PolicyView> {
    const number = /^[0-9]{1,10}$/.test(version) ? Number(version) : 0;
    return this.database.withTenant(organizationId, async (tx) => {
      if (number < 1 || number > INT32_MAX) throw notFound();
      const policy = await tx.manager.findOneBy(PolicyEntity, { name });
      if (policy === null) throw notFound();
      const found = await tx.manager.findOneBy(PolicyVersionEntity, { policy_id: policy.id, version: number });
      if (found === null) throw notFound();
      return toPolicyView(policy, found);
    });
  }
}

/** The head is the highest version number, never the newest time. A policy without a version is a defect. */
export async function readHeadVersion(tx: TenantTransaction, policy: PolicyEntity): Promise<PolicyVersionEntity> {
  const head = await tx.manager.findOne(PolicyVersionEntity, {
    where: { policy_id: policy.id },
    order: { version: 'DESC' },
  });
  return requireVersion(head ?? undefined, policy);
}

async function readHeads(tx: TenantTransaction): Promise<Map<string, PolicyVersionEntity>> {
  const heads = await tx.manager
    .createQueryBuilder(PolicyVersionEntity, 'version')
    .distinctOn(['version.policy_id'])
    .orderBy('version.policy_id')
    .addOrderBy('version.version', 'DESC')
    .getMany();
  return new Map(heads.map((head) => [head.policy_id, head]));
}

function requireVersion(version: PolicyVersionEntity | undefined, policy: PolicyEntity): PolicyVersionEntity {
  if (version === undefined) throw new Error(`policy ${policy.id} has no version`);
  return version;
}
