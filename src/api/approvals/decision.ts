import { SandgateError } from '../../domain/errors.js';
import { isJsonObject } from '../../domain/json.js';
import type { ApprovalDecision } from '../../core/approvals/approvals.js';

const MEANING: ReadonlyMap<unknown, ApprovalDecision> = new Map([
  ['approved_once', 'approved_once'],
  ['approve', 'approved_once'],
  ['allow', 'approved_once'],
  ['approved_session', 'approved_session'],
  ['denied', 'denied'],
  ['deny', 'denied'],
]);

/** Reads the body of a decision, which holds nothing else. @throws SandgateError `invalid_request` */
export function parseDecision(body: unknown): ApprovalDecision {
  if (!isJsonObject(body)) throw new SandgateError('invalid_request', 'body: must be a JSON object');
  const decision = MEANING.get(body['decision']);
  if (decision !== undefined) return decision;
  throw new SandgateError('invalid_request', 'decision: must be approved_once, approved_session or denied');
}
