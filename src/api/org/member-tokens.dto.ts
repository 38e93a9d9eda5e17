import { ApiProperty } from '@nestjs/swagger';
import type { ListedPersonalToken } from '../../core/identity/management/member-credentials.js';
import { PersonalTokenView, toTokenView } from '../account/tokens.dto.js';

/** A personal access token with whose it is; never the token itself. */
export class MemberToken extends PersonalTokenView {
  @ApiProperty({ type: 'string', nullable: true })
  email!: string | null;
}

export class MemberTokenList {
  @ApiProperty({ type: [MemberToken], description: 'Newest first, revoked ones included.' })
  tokens!: MemberToken[];
}

export function toMemberToken(row: ListedPersonalToken): MemberToken {
  return { ...toTokenView(row), email: row.email };
}
