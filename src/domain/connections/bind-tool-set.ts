import { findPoisonWithin } from '../capabilities/poison-screen.js';
import { toolsDigest } from '../capabilities/tools-digest.js';
import type { BrokeredTool } from '../run/spec.js';
import { refusal, type BindableConnection } from './choose-connection.js';
import type { ConnectionRequirement } from './requirement.js';
import type { BoundToolSet } from './resource-binding.js';

/** The newest tool snapshot of a connection. */
export interface LatestSnapshot {
  version: number;
  authorizationGeneration: number;
  protocolVersion: string;
  tools: readonly BrokeredTool[];
}

/**
 * The tools that a run may call through a connection: exactly the required ones, in the requirement's order, as the newest
 * snapshot has them (CP-092).
 * @throws SandgateError `invalid_request` when there is no snapshot, it is of an earlier authorization, or lacks a tool
 */
export function bindToolSet(
  { slot, required_tools: required }: ConnectionRequirement,
  connection: BindableConnection,
  snapshot: LatestSnapshot | null,
): BoundToolSet {
  const { display_name: name, authorization_generation: generation } = connection;
  if (snapshot === null) throw refusal(slot, `connection ${name} has no tool snapshot — refresh its tools`);
  if (snapshot.authorizationGeneration !== generation)
    throw refusal(slot, `connection ${name} was reauthorized — refresh its tools`);
  const offered = new Map(snapshot.tools.map((tool) => [tool.name, tool]));
  const tools = required.map((tool) => offered.get(tool)).filter((tool) => tool !== undefined);
  if (tools.length < required.length) {
    const missing = required.filter((tool) => !offered.has(tool));
    throw refusal(slot, `connection ${name} is missing required tools: ${missing.join(', ')}`);
  }
  // Old snapshots were screened less strictly, and some could not even be stored once frozen.
  const hidden = tools.find((tool) => findPoisonWithin(tool) !== null);
  if (hidden !== undefined)
    throw refusal(
      slot,
      `connection ${name}: tool ${hidden.name} holds hidden or control characters — refresh its tools`,
    );
  return { snapshotVersion: snapshot.version, tools, digest: toolsDigest(tools) };
}
