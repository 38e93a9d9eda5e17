import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What a run was granted of the network, and whether it still is; an offline run has none. Functions alone change it. */
@Entity('network_grants')
export class NetworkGrantEntity {
  @PrimaryColumn('uuid')
  session_id!: string;

  @Column('uuid')
  tenant_id!: string;

  @Column('text')
  status!: 'pending' | 'active' | 'denied' | 'revoked';

  /** Of the frozen grant. */
  @Column('text')
  grant_digest!: string;

  @Column('timestamptz')
  expires_at!: Date;

  @Column('uuid', { nullable: true })
  approval_id!: string | null;

  /** When it stopped being pending, or active. */
  @Column('timestamptz', { nullable: true })
  decided_at!: Date | null;

  @Column('text', { nullable: true })
  reason!: string | null;
}
