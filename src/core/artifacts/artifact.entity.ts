import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('artifacts')
export class ArtifactEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  tenant_id!: string;

  @Column('uuid')
  session_id!: string;

  @Column('text')
  kind!: string;

  @Column('text')
  name!: string;

  @Column('bytea')
  content!: Buffer;

  @Column('text')
  content_type!: string;

  @Column('bigint')
  size_bytes!: string;

  @Column('text')
  digest!: string;

  @Column('boolean')
  truncated!: boolean;

  @Column('timestamptz')
  created_at!: Date;
}
