import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('tenants')
export class OrganizationEntity {
  @PrimaryColumn('uuid')
  id!: string;

  /** Its name in addresses and on the command line; one of its kind in the deployment. */
  @Column('text')
  slug!: string;

  @Column('text')
  name!: string;

  @Column('timestamptz', { default: () => 'now()' })
  created_at!: Date;
}
