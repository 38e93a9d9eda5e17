import { ApiProperty } from '@nestjs/swagger';
import type { CodehostRepository } from '../../platform/codehost/code-host.js';

/** A repository that a connection of the code host sees. */
class RepositoryView implements CodehostRepository {
  @ApiProperty()
  id!: string;

  @ApiProperty({ description: '`owner/name`, as `workspace.repository` takes it.' })
  full_name!: string;

  @ApiProperty()
  private!: boolean;

  @ApiProperty({ type: 'string', nullable: true })
  default_branch!: string | null;

  @ApiProperty({ type: 'string', nullable: true })
  html_url!: string | null;

  @ApiProperty({ type: 'string', format: 'date-time', nullable: true })
  updated_at!: string | null;

  @ApiProperty({ type: 'string', format: 'date-time', nullable: true })
  pushed_at!: string | null;
}

export class RepositoryList {
  @ApiProperty({ type: [RepositoryView] })
  repos!: RepositoryView[];

  @ApiProperty({ type: [RepositoryView], description: 'The same as `repos`.' })
  repositories!: RepositoryView[];
}
