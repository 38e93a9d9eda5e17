import { AgentEntity, AgentRevisionEntity } from '../core/agents/agent.entity.js';
import { ArtifactEntity } from '../core/artifacts/artifact.entity.js';
import { CapabilityBundleEntity } from '../core/capabilities/capability-bundle.entity.js';
import { PolicyEntity, PolicyVersionEntity } from '../core/policies/policy.entity.js';
import { SessionEntity, SessionHeadEntity } from '../core/runs/session.entity.js';

/** The tables that this process maps; everything else is reached through statements in `core`. */
export const API_ENTITIES = [
  AgentEntity,
  AgentRevisionEntity,
  ArtifactEntity,
  CapabilityBundleEntity,
  PolicyEntity,
  PolicyVersionEntity,
  SessionEntity,
  SessionHeadEntity,
];
