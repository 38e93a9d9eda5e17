import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsIn, IsOptional, IsString, IsUUID, MaxLength } from 'class-validator';
import { CHECKOUT_MODES, WORKSPACE_KINDS, type WorkspaceInput } from '../../domain/run/workspace-input.js';

const MAX_TEXT = 4096;

/** What the agent finds in its working folder (docs/design/runs.md). */
export class WorkspaceBody implements WorkspaceInput {
  @ApiProperty({
    type: 'string',
    enum: WORKSPACE_KINDS,
    description: '`none` and `local_path` are older names of `scratch` and `local_copy`.',
  })
  @IsIn(WORKSPACE_KINDS)
  kind!: string;

  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    maxLength: MAX_TEXT,
    description: '`local_copy`: absolute folder on the server, inside `SERVICE_LOCAL_COPY_ROOTS`.',
  })
  @IsOptional()
  @IsString()
  @MaxLength(MAX_TEXT)
  path?: string | null;

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'string', maxLength: MAX_TEXT },
    nullable: true,
    maxItems: 64,
    description: '`local_copy`: globs of ignored or unlisted files to copy as well.',
  })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(64)
  @IsString({ each: true })
  @MaxLength(MAX_TEXT, { each: true })
  include?: string[] | null;

  @ApiPropertyOptional({
    type: 'string',
    format: 'uuid',
    nullable: true,
    description: '`git_repository`: the connection whose credential fetches it.',
  })
  @IsOptional()
  @IsUUID()
  connection_id?: string | null;

  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    maxLength: 255,
    description: '`git_repository`: `owner/name`.',
  })
  @IsOptional()
  @IsString()
  @MaxLength(255)
  repository?: string | null;

  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    maxLength: MAX_TEXT,
    description: '`git_repository`: `file://` address inside `SERVICE_LOCAL_COPY_ROOTS`.',
  })
  @IsOptional()
  @IsString()
  @MaxLength(MAX_TEXT)
  clone_url?: string | null;

  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    maxLength: 255,
    description: '`git_repository`: branch or tag to check out.',
  })
  @IsOptional()
  @IsString()
  @MaxLength(255)
  ref?: string | null;

  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    maxLength: 40,
    description: '`git_repository`: 7 to 40 hexadecimal digits.',
  })
  @IsOptional()
  @IsString()
  @MaxLength(40)
  commit_sha?: string | null;

  @ApiPropertyOptional({ type: 'string', enum: [...CHECKOUT_MODES, null], nullable: true })
  @IsOptional()
  @IsIn(CHECKOUT_MODES)
  checkout_mode?: string | null;

  @ApiPropertyOptional({
    type: 'string',
    format: 'uuid',
    nullable: true,
    description: '`upload`: id that `POST /v1/workspaces` answered to this caller; for one run.',
  })
  @IsOptional()
  @IsUUID()
  id?: string | null;
}

/** A workspace after defaults and overrides; members of other kinds are left out. */
export class WorkspaceView {
  @ApiProperty({ type: 'string', enum: ['scratch', 'local_copy', 'git_repository', 'upload'] })
  kind!: string;

  @ApiPropertyOptional()
  path?: string;

  @ApiPropertyOptional({ type: [String] })
  include?: string[];

  @ApiPropertyOptional({ format: 'uuid' })
  connection_id?: string;

  @ApiPropertyOptional({ format: 'uuid' })
  binding_id?: string;

  @ApiPropertyOptional()
  repository?: string;

  @ApiPropertyOptional()
  clone_url?: string;

  @ApiPropertyOptional()
  ref?: string;

  @ApiPropertyOptional()
  commit_sha?: string;

  @ApiPropertyOptional({ description: 'Of the run of a pull request: tip of the branch that it is for.' })
  base_sha?: string;

  @ApiPropertyOptional({ type: 'string', enum: CHECKOUT_MODES })
  checkout_mode?: string;

  @ApiPropertyOptional({ format: 'uuid' })
  id?: string;

  @ApiPropertyOptional({ description: 'Of an upload: SHA-256 of the archive.' })
  digest?: string;

  @ApiPropertyOptional({ description: 'Of an upload: size of the archive.' })
  bytes?: number;

  @ApiPropertyOptional({ description: 'Of an upload: files and links in it.' })
  files?: number;

  @ApiPropertyOptional({ description: 'Of an upload: files that its sender and the server left out.' })
  left_out?: number;

  @ApiPropertyOptional({ format: 'uuid', description: 'Of an upload: the sandbox host that has it.' })
  host?: string;

  @ApiPropertyOptional({ description: 'Of an upload: the commit that its files were changed from.' })
  base_commit?: string;
}
