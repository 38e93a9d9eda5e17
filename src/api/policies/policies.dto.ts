import { ApiProperty } from '@nestjs/swagger';
import { stringify } from 'yaml';
import type { PolicyEntity, PolicyVersionEntity } from './policy.entity.js';

export class PolicyView {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty()
  name!: string;

  @ApiProperty({ type: 'integer', format: 'int32', minimum: 1 })
  version!: number;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'The whole policy document of this version.',
  })
  content!: object;

  @ApiProperty({
    description: 'The stored source, or one generated from the content when the version did not arrive as YAML.',
  })
  yaml!: string;

  @ApiProperty({ type: 'string', nullable: true })
  summary!: string | null;

  @ApiProperty({ type: 'string', enum: ['seed', 'api', 'ui', 'import'] })
  author!: string;

  @ApiProperty({ type: 'string', format: 'uuid', nullable: true })
  author_user_id!: string | null;

  @ApiProperty({ description: 'User id, else the channel in `author`.' })
  published_by!: string;

  @ApiProperty({ format: 'date-time', description: 'When this version was appended.' })
  created_at!: string;

  @ApiProperty({ format: 'date-time', description: 'When the newest version was appended.' })
  updated_at!: string;
}

export class PolicyList {
  @ApiProperty({ type: [PolicyView], description: 'Heads, ordered by name.' })
  policies!: PolicyView[];
}

export function toPolicyView(policy: PolicyEntity, version: PolicyVersionEntity): PolicyView {
  return {
    id: policy.id,
    name: policy.name,
    version: version.version,
    content: version.content,
    yaml: version.yaml_source ?? stringify(version.content),
    summary: version.summary,
    author: version.author,
    author_user_id: version.author_user_id,
    published_by: version.author_user_id ?? version.author,
    created_at: version.created_at.toISOString(),
    updated_at: policy.updated_at.toISOString(),
  };
}
