import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What a browser was sent to the code host for. */
export type FlowPurpose = 'manifest' | 'install';

/** A visit of one browser to the code host, to register or to install an app (docs/design/code-host-apps.md). */
@Entity('github_app_flows')
export class AppFlowEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  tenant_id!: string;

  @Column('uuid')
  registration_id!: string;

  @Column('text')
  purpose!: FlowPurpose;

  @Column('text', { nullable: true, select: false })
  browser_hash!: string | null;

  @Column('timestamptz', { nullable: true })
  bootstrap_consumed_at!: Date | null;

  @Column('timestamptz', { nullable: true })
  consumed_at!: Date | null;

  @Column('timestamptz')
  expires_at!: Date;
}
