import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, MaxLength } from 'class-validator';
import type { Workspace } from '../../core/workspaces/workspace-access.js';
import { MayBeLeftOut } from '../http/left-out.js';

export const MAX_DESCRIPTION = 4000;

export class NewWorkspace {
  @ApiProperty({ description: '1 to 255 bytes, one line, no / or \\.', minLength: 1, maxLength: 255 })
  @IsString()
  name!: string;

  @ApiPropertyOptional({ type: 'string', nullable: true, maxLength: MAX_DESCRIPTION })
  @IsOptional()
  @IsString()
  @MaxLength(MAX_DESCRIPTION)
  description?: string | null;
}

export class WorkspaceChanges {
  @ApiPropertyOptional({ minLength: 1, maxLength: 255 })
  @MayBeLeftOut()
  @IsString()
  name?: string;

  @ApiPropertyOptional({ type: 'string', nullable: true, maxLength: MAX_DESCRIPTION })
  @IsOptional()
  @IsString()
  @MaxLength(MAX_DESCRIPTION)
  description?: string | null;
}

export class WorkspaceView {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty()
  name!: string;

  @ApiProperty({ description: 'A short name for addresses, made from the first name; it does not change.' })
  slug!: string;

  @ApiProperty({ type: 'string', nullable: true })
  description!: string | null;

  @ApiProperty({ type: 'integer', description: 'Projects that are not archived.' })
  projectCount!: number;

  @ApiProperty({ format: 'date-time' })
  createdAt!: Date;

  @ApiProperty({ format: 'date-time' })
  updatedAt!: Date;
}

export function viewWorkspace(row: Workspace, projectCount: number): WorkspaceView {
  const { id, name, slug, description } = row;
  return { id, name, slug, description, projectCount, createdAt: row.created_at, updatedAt: row.updated_at };
}
