import { ApiProperty } from '@nestjs/swagger';
import { ArrayNotEmpty, IsArray, IsIn, IsOptional, IsString } from 'class-validator';
import { ROLES, type Role } from '../../domain/identity/role.js';
import type { ListedMember } from '../../core/identity/management/member-list.js';
import type { MembershipEntity } from '../../core/identity/membership.entity.js';
import { PageQuery } from '../http/limit.js';
import { IsCursor } from './cursors.js';

const TIME_OR_NULL = { type: 'string', format: 'date-time', nullable: true } as const;
const STATUSES = ['active', 'deactivated'] as const;
type Status = (typeof STATUSES)[number];

/** A member with whom it is. */
export class Member {
  @ApiProperty({ format: 'uuid' })
  membership_id!: string;

  @ApiProperty({ format: 'uuid' })
  user_id!: string;

  @ApiProperty({ enum: ROLES, isArray: true })
  roles!: Role[];

  @ApiProperty({ enum: STATUSES })
  membership_status!: Status;

  @ApiProperty({ type: 'string', nullable: true, description: 'As the identity provider said last; no key.' })
  email!: string | null;

  @ApiProperty({ type: 'string', nullable: true })
  name!: string | null;

  @ApiProperty({ enum: STATUSES })
  user_status!: Status;

  @ApiProperty({ type: 'string', format: 'uuid', nullable: true, description: 'Identity provider of the user.' })
  idp_config_id!: string | null;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;

  @ApiProperty(TIME_OR_NULL)
  last_login_at!: string | null;
}

export class MemberList {
  @ApiProperty({ type: [Member], description: 'In the order in which they came.' })
  members!: Member[];
}

/** What a user may do in the organization. */
export class Membership {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ format: 'uuid' })
  tenant_id!: string;

  @ApiProperty({ format: 'uuid' })
  user_id!: string;

  @ApiProperty({ enum: ROLES, isArray: true })
  roles!: Role[];

  @ApiProperty({ enum: STATUSES })
  status!: Status;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;

  @ApiProperty({ format: 'date-time' })
  updated_at!: string;

  @ApiProperty(TIME_OR_NULL)
  deactivated_at!: string | null;
}

export class MembershipEnvelope {
  @ApiProperty({ type: Membership })
  membership!: Membership;
}

export class SetRoles {
  @ApiProperty({
    enum: ROLES,
    isArray: true,
    minItems: 1,
    description: "All that the member has from now on. A login may set all but `owner` anew, by the provider's claims.",
  })
  @IsArray({ message: 'must be an array of roles' })
  @ArrayNotEmpty({ message: 'must name one role at least' })
  @IsIn(ROLES, { each: true, message: `knows ${ROLES.join(', ')}` })
  roles!: Role[];
}

/** Query of the list of members. */
export class ListMembers extends PageQuery {
  @IsCursor('a membership')
  after?: string;

  @IsOptional()
  @IsString({ message: 'must be given once' })
  email?: string;
}

export function toMember(row: ListedMember): Member {
  const { created_at, last_login_at } = row;
  return { ...row, created_at: created_at.toISOString(), last_login_at: last_login_at?.toISOString() ?? null };
}

export function toMembership(row: MembershipEntity): Membership {
  return {
    id: row.id,
    tenant_id: row.tenant_id,
    user_id: row.user_id,
    roles: row.roles,
    status: row.status,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    deactivated_at: row.deactivated_at?.toISOString() ?? null,
  };
}
