import { ApiProperty } from '@nestjs/swagger';
import type { UsageOf } from '../../core/quotas/read-usage.js';
import { ROLES, SCOPES, type Role, type Scope } from '../../domain/access/scopes.js';

class PrincipalView {
  @ApiProperty({ type: 'string', enum: ['client'] })
  kind!: 'client';

  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty()
  name!: string;
}

class LimitsView {
  @ApiProperty({ type: 'integer' })
  requestsPerMinute!: number;

  @ApiProperty({ type: 'integer' })
  searchesPerMinute!: number;

  @ApiProperty({ type: 'integer', description: 'Of schemas from words or sheets.' })
  generationsPerMinute!: number;

  @ApiProperty({ type: 'integer', description: 'Runs of extraction that are started.' })
  extractionsPerMinute!: number;

  @ApiProperty({ type: 'integer', description: 'Of a JSON body.' })
  jsonBytes!: number;

  @ApiProperty({ type: 'integer' })
  openUploads!: number;

  @ApiProperty({ type: 'integer' })
  webhooksPerProject!: number;

  @ApiProperty({ type: 'integer' })
  schemasPerProject!: number;

  @ApiProperty({ type: 'integer', description: 'Of extraction, under way at once.' })
  runningExtractions!: number;
}

class UsageItem implements UsageOf {
  @ApiProperty({ type: 'string', enum: ['storageBytes', 'documents', 'pagesThisMonth'] })
  kind!: UsageOf['kind'];

  @ApiProperty({ type: 'integer' })
  used!: number;

  @ApiProperty({ type: 'integer' })
  limit!: number;

  @ApiProperty({ description: 'Whether 80 % or more is used.' })
  warning!: boolean;
}

export class UsageView {
  @ApiProperty({ type: [UsageItem] })
  usage!: UsageOf[];
}

export class MeView extends UsageView {
  @ApiProperty({ type: PrincipalView })
  principal!: PrincipalView;

  @ApiProperty({ format: 'uuid' })
  orgId!: string;

  @ApiProperty({ type: 'string', enum: [...ROLES], description: 'The smallest role with all of these scopes.' })
  role!: Role;

  @ApiProperty({ type: 'array', items: { type: 'string', enum: [...SCOPES] } })
  scopes!: readonly Scope[];

  @ApiProperty({
    type: 'array',
    items: { type: 'string', format: 'uuid' },
    nullable: true,
    description: 'Null: every workspace.',
  })
  workspaceIds!: readonly string[] | null;

  @ApiProperty({
    type: 'array',
    items: { type: 'string', format: 'uuid' },
    nullable: true,
    description: 'Null: every project.',
  })
  projectIds!: readonly string[] | null;

  @ApiProperty({ type: LimitsView })
  limits!: LimitsView;
}
