import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('tenants')
export class OrganizationEntity {
  @PrimaryColumn('uuid')
  id!: string;

  /** Its name in addresses and on the command line; one of its kind in the deployment. */
  @Column('text')
  slug!: string;

  /** Its slug at the time when it was made. */
  @Column('text')
  name!: string;

  @Column('text', { nullable: true })
  display_name!: string | null;

  /** A suspended organization admits none of its people and starts no runs. */
  @Column('text', { default: 'active' })
  status!: 'active' | 'suspended';

  @Column('timestamptz', { default: () => 'now()' })
  created_at!: Date;
}
