import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { SnapshotTool } from '../../domain/mcp/snapshot-tool.js';

/** What a connected server offered when it was asked; the row never changes (docs/design/connections.md). */
@Entity('connection_tool_snapshots')
export class ToolSnapshotEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  tenant_id!: string;

  @Column('uuid')
  connection_id!: string;

  @Column('int')
  snapshot_version!: number;

  @Column('int')
  authorization_generation!: number;

  @Column('text')
  protocol_version!: string;

  @Column('json')
  tools_json!: SnapshotTool[];

  @Column('text')
  tools_digest!: string;

  @Column('timestamptz')
  discovered_at!: Date;
}
