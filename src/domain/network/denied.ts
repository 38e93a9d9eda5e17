import type { JsonObject } from '../json.js';
import { readPolicyTarget } from './policy-target.js';
import { reaches } from './target.js';

/**
 * Whether a target that the policy denies, as the policy writes it, means a connection to that name and port. One that cannot be
 * read denies everything: what a policy refuses is never let through by a slip of its writer.
 */
export function deniesName(denied: JsonObject, name: string, port: number): boolean {
  const means = readPolicyTarget(denied);
  return means === null || (means.kind === 'names' && reaches(means.target, name, port));
}

/** The networks among denied targets that mean this port, as `address/prefix`. */
export function deniedNetworks(denied: readonly JsonObject[], port: number): string[] {
  return denied.flatMap((target) => {
    const means = readPolicyTarget(target);
    return means?.kind === 'addresses' && means.ports.some(({ from, to }) => from <= port && port <= to)
      ? [means.cidr]
      : [];
  });
}
