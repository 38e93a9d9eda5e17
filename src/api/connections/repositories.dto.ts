import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsOptional, Matches, ValidateBy } from 'class-validator';
import { isRepositoryName } from '../../domain/run/workspace-input.js';
import type { CodehostBranch, CodehostRepository } from '../../platform/codehost/code-host.js';

/** A number from 1 on, of at most 15 digits; blank counts as left out. */
const IsCount = (): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) => (value === '' ? undefined : value)),
    IsOptional(),
    Matches(/^(?=\d{1,15}$)0*[1-9]/, { message: 'must be a whole number of at least 1' }),
  );

const IsRepository = (): PropertyDecorator =>
  ValidateBy({
    name: 'isRepository',
    validator: {
      validate: (value: unknown) => typeof value === 'string' && isRepositoryName(value),
      defaultMessage: () => 'is required and must be owner/name, both of letters, digits, dot, underscore and hyphen',
    },
  });

/** Query of the lists of repositories and of refs. */
export class RepositoriesQuery {
  @IsCount()
  page?: string;

  @IsCount()
  per_page?: string;
}

/** Query of the list of refs. */
export class RefsQuery extends RepositoriesQuery {
  @Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value))
  @IsRepository()
  repository!: string;
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

/** A branch that a run can begin from. */
class RefView implements CodehostBranch {
  @ApiProperty({ description: 'As `workspace.ref` takes it.' })
  name!: string;

  @ApiProperty()
  commit_sha!: string;

  @ApiProperty()
  protected!: boolean;
}

export class RefList {
  @ApiProperty({ type: [RefView] })
  refs!: RefView[];
}
