import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { JsonObject } from '../../../../src/domain/json.js';

/** One entry of the audit: who did what to which thing. Never changed. */
@Entity('audit_events')
export class AuditEventEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  org_id!: string;

  @Column('timestamptz', { default: () => 'now()' })
  occurred_at!: Date;

  @Column('text')
  actor_kind!: 'client' | 'system';

  @Column('uuid', { nullable: true })
  actor_id!: string | null;

  @Column('text')
  actor_name!: string;

  @Column('text')
  action!: string;

  @Column('text')
  subject_kind!: string;

  @Column('uuid', { nullable: true })
  subject_id!: string | null;

  @Column('uuid', { nullable: true })
  project_id!: string | null;

  @Column('text', { nullable: true })
  request_id!: string | null;

  @Column('jsonb', { default: {} })
  detail!: JsonObject;
}
