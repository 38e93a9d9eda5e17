import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a binding points at exists, and in the run's own organization (chapter 40 §7.3). */
export class TieBindingsToConnections1700000000098 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      alter table session_resource_bindings
        add foreign key (tenant_id, connection_id) references integration_connections (tenant_id, id),
        add foreign key (tenant_id, connection_owner_user_id) references users (tenant_id, id),
        add foreign key (tenant_id, connection_id, snapshot_version)
          references connection_tool_snapshots (tenant_id, connection_id, snapshot_version);`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
