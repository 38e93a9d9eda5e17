import { Column, Entity, PrimaryColumn } from 'typeorm';
import type {
  BindingAuthority,
  ResourceBinding,
  ResolverKind,
  SlotKind,
} from '../../domain/connections/resource-binding.js';
import type { JsonObject } from '../../domain/json.js';
import type { BrokeredTool } from '../../domain/run/spec.js';

/** Which authority serves a slot of a run; the row never changes (docs/design/connections.md). */
@Entity('run_resource_bindings')
export class BindingEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  tenant_id!: string;

  @Column('uuid')
  session_id!: string;

  @Column('text')
  requirement_slot!: string;

  @Column('text')
  slot_kind!: SlotKind;

  @Column('text')
  authority_kind!: BindingAuthority['kind'];

  @Column('uuid', { nullable: true })
  connection_id!: string | null;

  @Column('uuid', { nullable: true })
  subscription_id!: string | null;

  @Column('int', { nullable: true })
  authority_generation!: number | null;

  @Column('text', { nullable: true })
  connection_owner_type!: 'organization' | 'user' | null;

  @Column('uuid', { nullable: true })
  connection_owner_user_id!: string | null;

  @Column('int', { nullable: true })
  snapshot_version!: number | null;

  @Column('jsonb', { nullable: true })
  effective_tools_json!: BrokeredTool[] | null;

  @Column('text', { nullable: true })
  effective_tools_digest!: string | null;

  @Column('jsonb')
  resource_scope!: JsonObject;

  @Column('text')
  resolved_by_principal_kind!: ResolverKind;

  @Column('uuid', { nullable: true })
  resolved_by_principal_id!: string | null;

  @Column('text')
  binding_mode!: ResourceBinding['bindingMode'];
}
