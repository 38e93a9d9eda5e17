import { ApiProperty } from '@nestjs/swagger';
import type { ArtifactEntity } from '../../core/artifacts/artifact.entity.js';

export class ArtifactView {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ format: 'uuid' })
  session_id!: string;

  @ApiProperty({ type: 'string', enum: ['diff', 'summary', 'log'] })
  kind!: string;

  @ApiProperty()
  name!: string;

  @ApiProperty({ description: 'As text; bytes that are not UTF-8 are replaced here and whole in the raw form.' })
  content!: string;

  @ApiProperty()
  content_type!: string;

  @ApiProperty({ type: 'integer', format: 'int64', minimum: 0 })
  size_bytes!: number;

  @ApiProperty({ description: '`sha256:` and 64 hexadecimal digits over the stored bytes.' })
  digest!: string;

  @ApiProperty({ description: 'Whether the content was larger than what is kept.' })
  truncated!: boolean;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;
}

export class ArtifactList {
  @ApiProperty({ type: [ArtifactView], description: 'Oldest first.' })
  artifacts!: ArtifactView[];
}

export function toArtifactView(artifact: ArtifactEntity): ArtifactView {
  const { id, session_id, kind, name, content_type, digest, truncated } = artifact;
  return {
    id,
    session_id,
    kind,
    name,
    content: artifact.content.toString('utf8'),
    content_type,
    size_bytes: Number(artifact.size_bytes),
    digest,
    truncated,
    created_at: artifact.created_at.toISOString(),
  };
}
