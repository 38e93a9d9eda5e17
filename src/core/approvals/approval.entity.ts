import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { JsonObject } from '../../domain/json.js';

/**
 * A row of the registry of gated calls; those in `intent`, `auto_allowed` and `auto_denied` are never listed to clients. Functions
 * alone write it.
 */
@Entity('approvals')
export class ApprovalEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  session_id!: string;

  @Column('text')
  tool_call_id!: string;

  @Column('text')
  tool!: string;

  @Column('text')
  summary!: string;

  @Column('text')
  input_digest!: string;

  @Column('text', { nullable: true })
  risk!: string | null;

  @Column('text', { nullable: true })
  scope!: 'once' | 'session' | null;

  @Column('text', { nullable: true })
  scope_key!: string | null;

  @Column('text', { array: true, nullable: true })
  scope_keys!: string[] | null;

  @Column('text')
  status!:
    | 'intent'
    | 'auto_allowed'
    | 'auto_denied'
    | 'pending'
    | 'approved_once'
    | 'approved_session'
    | 'denied'
    | 'expired';

  @Column('text', { nullable: true })
  source!: string | null;

  @Column('text', { nullable: true })
  original_verdict!: string | null;

  @Column('text', { nullable: true })
  reason!: string | null;

  @Column('jsonb', { nullable: true })
  explanation!: JsonObject | null;

  @Column('text', { nullable: true })
  withheld_reason!: string | null;

  @Column('boolean', { default: false })
  session_terminal_recorded!: boolean;

  /** When the approved call was let go; until then it is compared with what its approver saw. */
  @Column('timestamptz', { nullable: true })
  released_at!: Date | null;

  @Column('timestamptz')
  requested_at!: Date;

  @Column('timestamptz', { nullable: true })
  expires_at!: Date | null;

  @Column('timestamptz', { nullable: true })
  decided_at!: Date | null;

  @Column('text', { nullable: true })
  decided_by!: string | null;
}
