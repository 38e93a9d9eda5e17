import { Injectable } from '@nestjs/common';
import { DEFAULT_BUDGETS } from '../../domain/budgets/effective-budgets.js';
import { parseRequirements } from '../../domain/connections/requirement.js';
import { SandgateError } from '../../domain/errors.js';
import { readNetworkRequest } from '../../domain/network/request.js';
import { parseAgentVariables } from '../../domain/run/agent-variables.js';
import { readSetup } from '../../domain/run/setup-input.js';
import type { SandboxSizes, WorkspaceSpec } from '../../domain/run/spec.js';
import { parseWorkspace, type WorkspaceInput } from '../../domain/run/workspace-input.js';
import { cloneBaseOf } from '../../platform/config/codehost.config.js';
import { wholeBudgets } from '../budgets/budgets.dto.js';
import { ApiConfig } from '../foundation/foundation.module.js';
import { HarnessCatalog, type Harness } from '../../core/harnesses/harness-catalog.js';
import type { AgentRevisionEntity } from '../../core/agents/agent.entity.js';
import type { AddRevision } from './agents.dto.js';

/** A revision before it has a row: everything except identities, number, time and what only the database knows. */
export type RevisionDraft = Omit<
  AgentRevisionEntity,
  'id' | 'tenant_id' | 'agent_id' | 'rev' | 'policy_id' | 'capability_bundles' | 'created_at'
>;

/** Composes a revision from the request and, for a further one, the revision that it inherits from (docs/design/runs.md). */
@Injectable()
export class RevisionDrafter {
  constructor(
    private readonly catalog: HarnessCatalog,
    private readonly config: ApiConfig,
  ) {}

  /** @throws SandgateError `invalid_request` naming the member that cannot be accepted. */
  draft(input: AddRevision, previous?: AgentRevisionEntity): RevisionDraft {
    const harness = this.requireHarness(input.harness ?? previous?.harness ?? this.catalog.defaultId);
    const inheritsModel = previous?.harness === harness.id;
    return {
      description: (previous === undefined ? null : input.description) ?? previous?.description ?? null,
      harness: harness.id,
      model: requireModel(harness, input.model) ?? (inheritsModel ? previous.model : harness.defaultModel),
      runner_image: input.runner_image ?? (inheritsModel ? previous.runner_image : ''),
      system_prompt: input.system_prompt ?? previous?.system_prompt ?? null,
      budgets: input.budgets ? wholeBudgets(input.budgets) : (previous?.budgets ?? { ...DEFAULT_BUDGETS }),
      connection_requirements: input.connection_requirements
        ? parseRequirements(input.connection_requirements)
        : (previous?.connection_requirements ?? []),
      default_workspace: input.default_workspace
        ? this.defaultWorkspace(input.default_workspace)
        : (previous?.default_workspace ?? null),
      network: input.network ? readNetworkRequest(input.network) : (previous?.network ?? null),
      setup: input.setup ? readSetup(input.setup) : (previous?.setup ?? null),
      sandbox: input.sandbox ? this.sizes(input.sandbox) : (previous?.sandbox ?? null),
      env: input.env ? parseAgentVariables(input.env) : (previous?.env ?? {}),
    };
  }

  private requireHarness(id: string): Harness {
    const harness = this.catalog.find(id);
    if (harness !== undefined) return harness;
    const known = this.catalog.list().map((entry) => entry.id);
    throw new SandgateError('invalid_request', `harness: unknown harness ${id}; known are ${known.join(', ')}`);
  }

  private sizes(input: Partial<SandboxSizes>): Partial<SandboxSizes> {
    const maxima = this.config.sandbox.maxima;
    for (const size of ['memory_mb', 'cpus', 'disk_mb', 'pids'] as const) {
      const wished = input[size];
      if (wished !== undefined && wished > maxima[size]) {
        throw new SandgateError(
          'invalid_request',
          `sandbox.${size}: must not be more than ${maxima[size]} in this deployment`,
        );
      }
    }
    return { ...input };
  }

  /** An empty folder is what a run gets without a default, so naming it clears the default. */
  private defaultWorkspace(input: WorkspaceInput): WorkspaceSpec | null {
    const workspace = parseWorkspace(input, 'default_workspace', cloneBaseOf(this.config.codehost));
    if (workspace.kind === 'upload')
      throw new SandgateError('invalid_request', 'default_workspace.kind: an upload is for one run; name it there');
    return workspace.kind === 'scratch' ? null : workspace;
  }
}

/** Only a model that is named is checked; a default is trusted. */
function requireModel(harness: Harness, model: string | null | undefined): string | undefined {
  if (model === null || model === undefined) return undefined;
  if (harness.models.includes(model)) return model;
  throw new SandgateError(
    'invalid_request',
    `model: harness ${harness.id} has no model ${model}; it has ${harness.models.join(', ')}`,
  );
}
