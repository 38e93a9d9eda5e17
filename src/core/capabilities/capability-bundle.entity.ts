import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { BundleServer, BundleVersion } from '../../domain/capabilities/bundle.js';

/** One version of a bundle; the row never changes (docs/design/tools.md). */
@Entity('capability_bundles')
export class CapabilityBundleEntity implements BundleVersion {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  tenant_id!: string;

  @Column('text')
  name!: string;

  @Column('int')
  version!: number;

  @Column('text', { nullable: true })
  description!: string | null;

  @Column('jsonb')
  definition!: { servers: BundleServer[] };

  @Column('text')
  definition_digest!: string;

  @Column('timestamptz', { default: () => 'now()' })
  created_at!: Date;
}
