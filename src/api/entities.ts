import { AgentEntity, AgentRevisionEntity } from './agents/agent.entity.js';
import { ArtifactEntity } from './artifacts/artifact.entity.js';
import { CapabilityBundleEntity } from './capabilities/capability-bundle.entity.js';
import { PolicyEntity, PolicyVersionEntity } from './policies/policy.entity.js';
import { SessionEntity, SessionHeadEntity } from './sessions/session.entity.js';

/** The tables that this process maps; everything else is reached through `platform/db`. */
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
