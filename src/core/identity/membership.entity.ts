import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Role } from '../../domain/identity/role.js';

/** What a user may do in the organization. */
@Entity('org_memberships')
export class MembershipEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  tenant_id!: string;

  @Column('uuid')
  user_id!: string;

  @Column('text', { array: true })
  roles!: Role[];

  @Column('text', { default: 'active' })
  status!: 'active' | 'deactivated';

  @Column('timestamptz', { default: () => 'now()' })
  created_at!: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updated_at!: Date;

  @Column('timestamptz', { nullable: true })
  deactivated_at!: Date | null;
}
