import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ProjectSettings } from '../../domain/project-settings.js';

/** What documents belong to. An archived one has freed its name, and is purged later. */
@Entity('projects')
export class ProjectEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  org_id!: string;

  @Column('uuid')
  workspace_id!: string;

  @Column('text')
  name!: string;

  @Column('text', { nullable: true })
  description!: string | null;

  @Column('jsonb', { default: {} })
  settings!: ProjectSettings;

  @Column('int', { default: 1 })
  row_version!: number;

  @Column('timestamptz', { default: () => 'now()' })
  created_at!: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updated_at!: Date;

  @Column('timestamptz', { nullable: true })
  archived_at!: Date | null;
}
