import { Injectable } from '@nestjs/common';
import { Database } from '../../core/record/database.js';
import { notFound } from '../../domain/resource-id.js';
import { PolicyEntity, PolicyVersionEntity } from '../../core/policies/policy.entity.js';
import type { PolicyDetail, PolicyListItem, PolicyView } from './policies.dto.js';
import { agentsByPolicy, mcpToolsUnder } from '../../core/policies/policy-users.js';
import { findVersion, readHeads, requirePolicy, requireVersion } from '../../core/policies/policy-versions.js';
import { toDetail, toListItem, toPolicyView } from './policy-views.js';

/** Reads policies and their versions (docs/design/policy.md). */
@Injectable()
export class PoliciesService {
  constructor(private readonly database: Database) {}

  /** Heads, ordered by name. */
  list(organizationId: string): Promise<PolicyListItem[]> {
    return this.database.withTenant(organizationId, async (tx) => {
      const policies = await tx.manager.find(PolicyEntity, { order: { name: 'ASC' } });
      const heads = await readHeads(tx);
      const users = await agentsByPolicy(tx);
      return policies.flatMap((policy) => {
        const version = heads.get(policy.id);
        // A policy that is made or deleted between the two reads is left out.
        return version === undefined ? [] : [toListItem({ policy, version }, users.get(policy.id) ?? [])];
      });
    });
  }

  /** @throws SandgateError `not_found` */
  readDetail(organizationId: string, name: string): Promise<PolicyDetail> {
    return this.database.withTenant(organizationId, async (tx) => {
      const policy = await requirePolicy(tx, name);
      const versions = await tx.manager.find(PolicyVersionEntity, {
        where: { policy_id: policy.id },
        order: { version: 'DESC' },
      });
      const version = requireVersion(versions[0], policy);
      const users = await agentsByPolicy(tx, policy.id);
      const mcpTools = await mcpToolsUnder(tx, policy.id);
      return toDetail({ policy, version }, users.get(policy.id) ?? [], versions, mcpTools);
    });
  }

  /**
   * `version` is text from the path; anything but an int32 is not found.
   *
   * @throws SandgateError `not_found`
   */
  readVersion(organizationId: string, name: string, version: string): Promise<PolicyView> {
    const number = /^[0-9]{1,10}$/.test(version) ? Number(version) : 0;
    return this.database.withTenant(organizationId, async (tx) => {
      const policy = await requirePolicy(tx, name);
      const found = await findVersion(tx, policy, number);
      if (found === null) throw notFound('version of this policy');
      return toPolicyView({ policy, version: found });
    });
  }
}
