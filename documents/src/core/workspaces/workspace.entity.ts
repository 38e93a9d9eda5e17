import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A group of projects of an organization. */
@Entity('workspaces')
export class WorkspaceEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  org_id!: string;

  @Column('text')
  name!: string;

  @Column('text')
  slug!: string;

  @Column('text', { nullable: true })
  description!: string | null;

  @Column('int', { default: 1 })
  row_version!: number;

  @Column('timestamptz', { default: () => 'now()' })
  created_at!: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updated_at!: Date;
}
