import { Injectable } from '@nestjs/common';
import { normalizedEmail } from '../../domain/identity/email.js';
import { pathId } from '../../domain/resource-id.js';
import { MemberChanges, type Authority } from '../../core/identity/management/member-changes.js';
import { listMembers } from '../../core/identity/management/member-list.js';
import type { AuditActor } from '../../core/identity/audit-log.js';
import { Database } from '../../core/record/database.js';
import { MAX_LIMIT, rowsAsked } from '../http/limit.js';
import {
  toMember,
  toMembership,
  type ListMembers,
  type MemberList,
  type MembershipEnvelope,
  type SetRoles,
} from './members.dto.js';

/** Which member is changed, by whom and under whose rules. */
export interface ChangeOfMember {
  organizationId: string;
  /** As the path has it. */
  member: string;
  authority: Authority;
  actor: AuditActor;
}

/** Members of an organization, for its own people and for the operator. */
@Injectable()
export class MembersService {
  constructor(
    private readonly database: Database,
    private readonly changes: MemberChanges,
  ) {}

  async list(organizationId: string, { email, after, limit }: ListMembers): Promise<MemberList> {
    const filter = {
      email: email === undefined ? null : normalizedEmail('email', email),
      after: after?.toLowerCase() ?? null,
      limit: rowsAsked(limit, MAX_LIMIT),
    };
    const rows = await this.database.withTenant(organizationId, (tx) => listMembers(tx, filter));
    return { members: rows.map(toMember) };
  }

  /** @throws SandgateError as `MemberChanges.setRoles` */
  async setRoles(change: ChangeOfMember, { roles }: SetRoles): Promise<MembershipEnvelope> {
    const changed = await this.changes.setRoles(change.organizationId, { ...of(change), roles });
    return { membership: toMembership(changed) };
  }

  /** @throws SandgateError as `MemberChanges.deactivate` */
  async deactivate(change: ChangeOfMember): Promise<MembershipEnvelope> {
    return { membership: toMembership(await this.changes.deactivate(change.organizationId, of(change))) };
  }

  /** @throws SandgateError as `MemberChanges.reactivate` */
  async reactivate(change: ChangeOfMember): Promise<MembershipEnvelope> {
    return { membership: toMembership(await this.changes.reactivate(change.organizationId, of(change))) };
  }
}

function of({ member, authority, actor }: ChangeOfMember) {
  return { membershipId: pathId(member, 'member'), authority, actor };
}
