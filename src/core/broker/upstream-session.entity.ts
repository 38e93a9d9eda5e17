import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A session that an MCP server issued to a process, for a run and one of its bindings (docs/design/broker.md). */
@Entity('mcp_upstream_sessions')
export class UpstreamSessionEntity {
  @Column('uuid')
  tenant_id!: string;

  @PrimaryColumn('uuid')
  session_id!: string;

  @PrimaryColumn('text')
  peer_kind!: 'binding';

  @PrimaryColumn('uuid')
  peer_id!: string;

  @PrimaryColumn('uuid')
  replica!: string;

  @Column('text')
  upstream_session_id!: string;

  @Column('text')
  endpoint_url!: string;

  @Column('text')
  protocol_version!: string;

  @Column('timestamptz')
  opened_at!: Date;

  @Column('timestamptz', { nullable: true })
  deleted_at!: Date | null;

  @Column('text', { nullable: true })
  delete_outcome!: 'deleted' | 'swept' | null;
}
