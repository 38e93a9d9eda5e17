import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A schema of a project; what it says is in its versions (DI-010). */
@Entity('schemas')
export class SchemaEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  org_id!: string;

  @Column('uuid')
  project_id!: string;

  /** Unique among those of the project that are not archived. */
  @Column('text')
  name!: string;

  @Column('text', { nullable: true })
  description!: string | null;

  @Column('int', { default: 1 })
  latest_version!: number;

  @Column('uuid')
  latest_version_id!: string;

  /** Counts changes of name and description; the ETag. */
  @Column('int', { default: 1 })
  row_version!: number;

  @Column('timestamptz', { default: () => 'now()' })
  created_at!: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updated_at!: Date;

  @Column('timestamptz', { nullable: true })
  archived_at!: Date | null;
}
