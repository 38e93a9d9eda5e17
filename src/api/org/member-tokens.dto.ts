import { ApiProperty } from '@nestjs/swagger';
import type { ListedPersonalToken } from '../../core/identity/management/member-credentials.js';

const TIME_OR_NULL = { type: 'string', format: 'date-time', nullable: true } as const;

/** A personal access token with whose it is; never the token itself. */
export class MemberToken {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ format: 'uuid' })
  tenant_id!: string;

  @ApiProperty({ format: 'uuid' })
  membership_id!: string;

  @ApiProperty({ format: 'uuid' })
  user_id!: string;

  @ApiProperty({ type: 'string', nullable: true })
  email!: string | null;

  @ApiProperty()
  name!: string;

  @ApiProperty({ description: 'Its first characters.' })
  display_prefix!: string;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;

  @ApiProperty({ format: 'date-time' })
  expires_at!: string;

  @ApiProperty({ ...TIME_OR_NULL, description: 'To the minute.' })
  last_used_at!: string | null;

  @ApiProperty(TIME_OR_NULL)
  revoked_at!: string | null;
}

export class MemberTokenList {
  @ApiProperty({ type: [MemberToken], description: 'Newest first, revoked ones included.' })
  tokens!: MemberToken[];
}

export function toMemberToken(row: ListedPersonalToken): MemberToken {
  return {
    ...row,
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
  };
}
