import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { JsonObject } from '../../domain/json.js';

/** A line of the log of privileged steps, which only grows. */
@Entity('auth_audit_log')
export class AuditEntryEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { nullable: true })
  tenant_id!: string | null;

  @Column('text')
  actor_kind!: 'operator' | 'user' | 'system';

  @Column('text')
  actor_id!: string;

  @Column('text', { nullable: true })
  source_ip!: string | null;

  @Column('text', { nullable: true })
  request_id!: string | null;

  @Column('text')
  action!: string;

  @Column('text', { nullable: true })
  target!: string | null;

  @Column('boolean')
  success!: boolean;

  @Column('jsonb')
  detail!: JsonObject;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  created_at!: Date;
}
