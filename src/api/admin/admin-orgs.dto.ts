import { applyDecorators } from '@nestjs/common';
import { ApiParam, ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, ValidateIf } from 'class-validator';
import { PageQuery } from '../http/limit.js';
import { IsCursor } from '../org/cursors.js';
import { ListAuthAudit } from '../org/auth-audit.dto.js';
import { Org } from '../org/org.dto.js';

const SLUG = { type: 'string', pattern: '^[a-z0-9][a-z0-9-]{0,62}$' } as const;
const TEXT = { message: 'must be a string' } as const;

/** The path parameter that names an organization. */
export const SlugParam = (): MethodDecorator & ClassDecorator =>
  applyDecorators(ApiParam({ name: 'slug', description: 'Slug of the organization.', schema: SLUG }));

export class OrgList {
  @ApiProperty({ type: [Org], description: 'Oldest first.' })
  orgs!: Org[];
}

/** Query of the list of organizations. */
export class ListOrgs extends PageQuery {
  @IsCursor('an organization')
  after?: string;
}

export class CreateOrg {
  @ApiProperty({ ...SLUG, description: 'Its name in addresses, for good.' })
  @IsString(TEXT)
  slug!: string;

  @ApiPropertyOptional({ type: 'string', nullable: true, minLength: 1, maxLength: 200 })
  @IsOptional()
  @IsString(TEXT)
  display_name?: string | null;
}

export class ChangeOrg {
  @ApiProperty({ type: 'string', nullable: true, minLength: 1, maxLength: 200, description: 'Null removes it.' })
  @ValidateIf((_body, value) => value !== null)
  @IsString(TEXT)
  display_name!: string | null;
}

/** Query of the audit log of the deployment. */
export class ListDeploymentAudit extends ListAuthAudit {
  @IsOptional()
  @IsString({ message: 'must be given once' })
  org?: string;
}
