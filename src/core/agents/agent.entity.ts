import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { BundlePin } from '../../domain/capabilities/bundle.js';
import type { Budgets, FrozenSetup, SandboxSizes, WorkspaceSpec } from '../../domain/run/spec.js';

@Entity('agents')
export class AgentEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  tenant_id!: string;

  @Column('text')
  name!: string;

  /** As registered; a revision may say otherwise. */
  @Column('text', { nullable: true })
  description!: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  created_at!: Date;
}

/** What an agent is; insert-only, so a run can refer to it forever (docs/design/runs.md). */
@Entity('agent_revisions')
export class AgentRevisionEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  tenant_id!: string;

  @Column('uuid')
  agent_id!: string;

  @Column('int')
  rev!: number;

  /** Null while the agent is described as it was registered. */
  @Column('text', { nullable: true })
  description!: string | null;

  @Column('text')
  harness!: string;

  @Column('text')
  runner_image!: string;

  @Column('text')
  model!: string;

  @Column('text', { nullable: true })
  system_prompt!: string | null;

  @Column('uuid')
  policy_id!: string;

  @Column('jsonb')
  budgets!: Budgets;

  @Column('jsonb')
  capability_bundles!: BundlePin[];

  @Column('jsonb', { nullable: true })
  default_workspace!: WorkspaceSpec | null;

  @Column('jsonb')
  connection_requirements!: object[];

  @Column('jsonb', { nullable: true })
  network!: object | null;

  @Column('jsonb', { nullable: true })
  setup?: FrozenSetup | null;

  @Column('jsonb')
  env!: Record<string, string>;

  @Column('jsonb', { nullable: true })
  sandbox!: Partial<SandboxSizes> | null;

  @Column('timestamptz', { default: () => 'now()' })
  created_at!: Date;
}
