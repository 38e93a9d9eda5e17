import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsInt, IsOptional, IsString } from 'class-validator';
import type { PersonalToken } from '../../core/identity/personal-tokens.js';

export class MintToken {
  @ApiProperty({ description: 'What it is for, in 1 to 100 characters; blanks around it are cut.' })
  @IsString()
  name!: string;

  @ApiPropertyOptional({
    type: 'integer',
    nullable: true,
    description: 'Seconds until it ends, brought between 60 and 31536000; 7776000 (90 days) when left out.',
  })
  @IsOptional()
  @IsInt()
  expires_in?: number | null;
}

/** A personal access token, without the token itself. */
export class PersonalTokenView {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ format: 'uuid', description: 'The organization.' })
  tenant_id!: string;

  @ApiProperty({ format: 'uuid' })
  membership_id!: string;

  @ApiProperty({ format: 'uuid' })
  user_id!: string;

  @ApiProperty()
  name!: string;

  @ApiProperty({ description: 'The first twelve characters of the token.' })
  display_prefix!: string;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;

  @ApiProperty({ format: 'date-time' })
  expires_at!: string;

  @ApiProperty({ type: 'string', format: 'date-time', nullable: true, description: 'To the minute.' })
  last_used_at!: string | null;

  @ApiProperty({ type: 'string', format: 'date-time', nullable: true })
  revoked_at!: string | null;
}

export class MintedToken {
  @ApiProperty({ description: 'The token. It is shown here and never again.' })
  token!: string;

  @ApiProperty({ type: PersonalTokenView })
  pat!: PersonalTokenView;
}

export class TokenList {
  @ApiProperty({
    type: [PersonalTokenView],
    description: 'Newest first, those that are over among them; 1000 at most.',
  })
  tokens!: PersonalTokenView[];
}

/** A token, or a browser session, that is no longer accepted. */
export class RevokedCredential {
  @ApiProperty({ enum: [true] })
  revoked!: true;

  @ApiProperty({ format: 'uuid' })
  id!: string;
}

export function toTokenView(row: PersonalToken): PersonalTokenView {
  const { id, tenant_id, membership_id, user_id, name, display_prefix } = row;
  return {
    ...{ id, tenant_id, membership_id, user_id, name, display_prefix },
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
  };
}
