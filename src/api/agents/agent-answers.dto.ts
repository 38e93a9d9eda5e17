import { ApiProperty } from '@nestjs/swagger';
import type { BundlePin } from '../../domain/capabilities/bundle.js';
import type { NetworkRequest } from '../../domain/network/request.js';
import type { Budgets, FrozenSetup, SandboxSizes, WorkspaceSpec } from '../../domain/run/spec.js';
import { BudgetsView } from '../budgets/budgets.dto.js';
import { NetworkBody } from '../sandboxes/network.dto.js';
import { SandboxSizesInput } from '../sandboxes/sandbox-sizes.dto.js';
import { SetupBody } from '../sandboxes/setup.dto.js';
import { WorkspaceView } from '../workspaces/workspace.dto.js';
import type { AgentEntity, AgentRevisionEntity } from '../../core/agents/agent.entity.js';
import { ConnectionRequirementBody } from './connection-requirement.dto.js';

export class AgentView {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ format: 'uuid' })
  tenant_id!: string;

  @ApiProperty()
  name!: string;

  @ApiProperty({ type: 'string', nullable: true, description: 'As its newest revision says.' })
  description!: string | null;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;
}

class BundlePinView implements BundlePin {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty()
  name!: string;

  @ApiProperty({ type: 'integer', format: 'int32', minimum: 1 })
  version!: number;
}

export class AgentRevisionView {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ format: 'uuid' })
  agent_id!: string;

  @ApiProperty({ type: 'integer', format: 'int32', minimum: 1 })
  rev!: number;

  @ApiProperty({ type: 'string', nullable: true })
  description!: string | null;

  @ApiProperty()
  harness!: string;

  @ApiProperty()
  runner_image!: string;

  @ApiProperty()
  model!: string;

  @ApiProperty({ type: 'string', nullable: true })
  system_prompt!: string | null;

  @ApiProperty({ format: 'uuid' })
  policy_id!: string;

  @ApiProperty({ description: 'Name of the policy.' })
  policy!: string;

  @ApiProperty({ type: BudgetsView })
  budgets!: Budgets;

  @ApiProperty({ type: [BundlePinView], description: 'Pinned versions; a pin never floats.' })
  capability_bundles!: BundlePinView[];

  @ApiProperty({ type: WorkspaceView, nullable: true })
  default_workspace!: WorkspaceSpec | null;

  @ApiProperty({ type: [ConnectionRequirementBody] })
  connection_requirements!: object[];

  @ApiProperty({ type: NetworkBody, nullable: true })
  network!: NetworkRequest | null;

  @ApiProperty({ type: SetupBody, nullable: true })
  setup!: FrozenSetup | null;

  @ApiProperty({ type: SandboxSizesInput, nullable: true })
  sandbox!: Partial<SandboxSizes> | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'Variables of tool processes.',
  })
  env!: Record<string, string>;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;
}

export class AgentList {
  @ApiProperty({ type: [AgentView], description: 'Ordered by name.' })
  agents!: AgentView[];
}

export class CreatedAgent {
  @ApiProperty({ type: AgentView })
  agent!: AgentView;

  @ApiProperty({ type: AgentRevisionView })
  revision!: AgentRevisionView;
}

export class AgentWithRevisions {
  @ApiProperty({ type: AgentView })
  agent!: AgentView;

  @ApiProperty({ type: [AgentRevisionView], description: 'Newest first.' })
  revisions!: AgentRevisionView[];
}

export class AddedRevision {
  @ApiProperty({ type: AgentRevisionView })
  revision!: AgentRevisionView;
}

/** The agent with the description of its newest revision. */
export function toAgentView(agent: AgentEntity, newest: Pick<AgentRevisionEntity, 'description'>): AgentView {
  const { id, tenant_id, name, created_at } = agent;
  return { id, tenant_id, name, description: describe(agent, newest), created_at: created_at.toISOString() };
}

function describe(agent: AgentEntity, revision: Pick<AgentRevisionEntity, 'description'>): string | null {
  return revision.description ?? agent.description;
}

export function toRevisionView(
  agent: AgentEntity,
  revision: AgentRevisionEntity,
  policyName: string,
): AgentRevisionView {
  return {
    id: revision.id,
    agent_id: revision.agent_id,
    rev: revision.rev,
    description: describe(agent, revision),
    harness: revision.harness,
    runner_image: revision.runner_image,
    model: revision.model,
    system_prompt: revision.system_prompt,
    policy_id: revision.policy_id,
    policy: policyName,
    budgets: revision.budgets,
    capability_bundles: revision.capability_bundles,
    default_workspace: revision.default_workspace,
    connection_requirements: revision.connection_requirements,
    network: revision.network,
    setup: revision.setup,
    sandbox: revision.sandbox,
    env: revision.env,
    created_at: revision.created_at.toISOString(),
  };
}
