import { ApiProperty } from '@nestjs/swagger';
import type { Organization } from '../../core/organizations/organizations.js';

/** The record of an organization. */
export class Org {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ description: 'Its slug at the time when it was made.' })
  name!: string;

  @ApiProperty({ description: 'Its name in addresses and on the command line.' })
  slug!: string;

  @ApiProperty({ type: 'string', nullable: true })
  display_name!: string | null;

  @ApiProperty({ enum: ['active', 'suspended'] })
  status!: 'active' | 'suspended';

  @ApiProperty({ format: 'date-time' })
  created_at!: string;
}

export class OrgEnvelope {
  @ApiProperty({ type: Org })
  org!: Org;
}

export function toOrg({ id, name, slug, display_name, status, created_at }: Organization): Org {
  return { id, name, slug, display_name, status, created_at: created_at.toISOString() };
}
