import { Column, Entity, PrimaryColumn } from 'typeorm';
import type {
  AuthHints,
  ConnectorAuthMode,
  ConnectorDefinition,
  ConnectorTier,
  ConnectorTransport,
  Provenance,
  SandboxLaunch,
  ToolHint,
} from '../../domain/catalog/connector.js';

/** A stored connector: of the whole deployment when it has no organization (docs/design/connections.md). */
@Entity('connector_catalog')
export class ConnectorEntity implements ConnectorDefinition {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { nullable: true })
  tenant_id!: string | null;

  @Column('text')
  slug!: string;

  @Column('text')
  name!: string;

  @Column('text', { nullable: true })
  icon!: string | null;

  @Column('text', { nullable: true })
  description!: string | null;

  @Column('text', { array: true })
  categories!: string[];

  @Column('text', { array: true })
  scopes!: string[];

  @Column('text', { array: true })
  egress!: string[];

  @Column('text')
  tier!: ConnectorTier;

  @Column('text', { nullable: true })
  url!: string | null;

  @Column('text')
  transport!: ConnectorTransport;

  @Column('text')
  auth_mode!: ConnectorAuthMode;

  @Column('jsonb')
  auth_hints!: AuthHints;

  @Column('jsonb')
  tool_hints!: ToolHint[];

  @Column('jsonb', { nullable: true })
  sandbox_launch!: SandboxLaunch | null;

  @Column('jsonb')
  provenance!: Provenance;

  @Column('timestamptz', { nullable: true })
  disabled_at!: Date | null;

  @Column('timestamptz', { default: () => 'now()' })
  created_at!: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updated_at!: Date;
}
