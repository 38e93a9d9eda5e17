import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsOptional, Matches } from 'class-validator';
import type { CodehostRepository } from '../../platform/codehost/code-host.js';

/** A number from 1 on, of at most 15 digits; blank counts as left out. */
const IsCount = (): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) => (value === '' ? undefined : value)),
    IsOptional(),
    Matches(/^(?=\d{1,15}$)0*[1-9]/, { message: 'must be a whole number of at least 1' }),
  );

/** Query of the list of repositories. */
export class RepositoriesQuery {
  @IsCount()
  page?: string;

  @IsCount()
  per_page?: string;
}

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
