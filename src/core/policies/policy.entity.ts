import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('policies')
export class PolicyEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  tenant_id!: string;

  @Column('text')
  name!: string;

  @Column('timestamptz', { default: () => 'now()' })
  created_at!: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updated_at!: Date;
}

@Entity('policy_versions')
export class PolicyVersionEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  tenant_id!: string;

  @Column('uuid')
  policy_id!: string;

  @Column('int')
  version!: number;

  @Column('jsonb')
  content!: object;

  @Column('text', { nullable: true })
  yaml_source!: string | null;

  @Column('text', { nullable: true })
  summary!: string | null;

  @Column('text')
  author!: string;

  @Column('uuid', { nullable: true })
  author_user_id!: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  created_at!: Date;
}
