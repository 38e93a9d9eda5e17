import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ROLES, type Role } from '../../domain/identity/role.js';

/** Who the admin token is. */
export class OperatorAccount {
  @ApiProperty({ enum: [true] })
  operator!: true;
}

export class AccountOrganization {
  @ApiProperty()
  slug!: string;

  @ApiProperty({ description: 'Its slug where it has no other name.' })
  display_name!: string;
}

export class AccountUser {
  @ApiPropertyOptional({ description: 'As the identity provider said it at the last login.' })
  email?: string;

  @ApiPropertyOptional({ description: 'As the identity provider said it at the last login.' })
  name?: string;
}

/** Who a person is, and what they may do at this moment. */
export class UserAccount {
  @ApiProperty({ format: 'uuid' })
  user_id!: string;

  @ApiProperty({ type: AccountOrganization })
  org!: AccountOrganization;

  @ApiProperty({ type: AccountUser })
  user!: AccountUser;

  @ApiProperty({ enum: ROLES, isArray: true })
  roles!: Role[];

  @ApiProperty({ enum: ['browser', 'pat'], description: 'By which credential the person came.' })
  auth_kind!: 'browser' | 'pat';
}
