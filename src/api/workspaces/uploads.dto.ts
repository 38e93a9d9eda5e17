import { ApiProperty } from '@nestjs/swagger';
import type { UploadRow } from '../../core/uploads/uploads.js';

/** Files that were sent for a run. */
export class UploadView {
  @ApiProperty({ format: 'uuid', description: 'For `workspace.id` of one run.' })
  id!: string;

  @ApiProperty({ format: 'date-time', description: 'Until when a run may use it.' })
  expires_at!: string;

  @ApiProperty({ description: 'SHA-256 of the archive as it was received: `sha256:` and hexadecimal digits.' })
  digest!: string;

  @ApiProperty({ type: 'integer', format: 'int64', description: 'Size of the archive as it was received.' })
  bytes!: number;

  @ApiProperty({ type: 'integer', description: 'Files and links in it that a run will get.' })
  files!: number;

  @ApiProperty({
    type: 'integer',
    description: 'Files that its sender left out, and files in it that look like secrets.',
  })
  left_out!: number;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Commit that the files were changed from, as their sender said.',
  })
  base_commit!: string | null;
}

export class UploadEnvelope {
  @ApiProperty()
  workspace!: UploadView;
}

export function toUploadView({ id, expires_at, digest, bytes, files, left_out, base_commit }: UploadRow): UploadView {
  return { id, expires_at: expires_at.toISOString(), digest, bytes, files, left_out, base_commit };
}
