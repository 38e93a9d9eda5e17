import type { ExactJson } from '../../domain/digest/exact-json.js';
import { SandgateError } from '../../domain/errors.js';
import type { PolicyDocument } from '../../domain/policy/document.js';
import { parsePolicyStrict } from '../../domain/policy/parse-policy.js';
import { parsePolicyYaml } from '../../domain/policy/policy-yaml.js';
import { DEFAULT_CALLS, MAX_CALLS, type SimulatePolicy } from './simulation.dto.js';

/** The draft, read strictly. @throws SandgateError `invalid_request` */
export function readDraft({ content, yaml }: Pick<SimulatePolicy, 'content' | 'yaml'>): PolicyDocument {
  if (yaml !== undefined && content === undefined) return parsePolicyYaml(yaml);
  if (content !== undefined && yaml === undefined) return parsePolicyStrict(content as ExactJson);
  throw new SandgateError('invalid_request', 'content, yaml: give the draft as one of the two');
}

/** Calls to examine; larger numbers are clamped, as limits are everywhere. */
export function readLimit(limit: number | undefined): number {
  return Math.min(limit ?? DEFAULT_CALLS, MAX_CALLS);
}

/** @throws SandgateError `invalid_request` naming the member */
export function readTime(text: string | undefined, member: string): Date | null {
  if (text === undefined) return null;
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) throw new SandgateError('invalid_request', `${member}: must be an RFC 3339 time`);
  return time;
}
