import { isJsonObject } from '../../domain/json.js';
import type { JsonObject, JsonValue } from '../../domain/json.js';
import type { ContractAnswer } from './contract-transport.js';
import { ContractCallError } from './retry.js';

export type PermissionAnswer = { decision: 'allow'; updatedInput?: JsonObject } | { decision: 'deny'; message: string };

export type BrokeredAnswer =
  | { kind: 'answered'; content: JsonValue[]; structuredContent?: JsonValue; isError: boolean }
  | { kind: 'denied'; message: string }
  | { kind: 'failed'; message: string }
  /** Nobody knows whether it was executed; it is never presented again. */
  | { kind: 'unanswered'; message: string };

/** The answer of the broker to a repetition whose first presentation has no outcome yet (docs/design/broker.md). */
const IN_FLIGHT = 'execution in flight; retry later';

export function requireSuccess(answer: ContractAnswer): ContractAnswer {
  if (answer.status !== 200) throw new ContractCallError(`answered ${answer.status}`, answer.status);
  return answer;
}

export function readPermission(body: JsonObject | null): PermissionAnswer | null {
  if (body?.['decision'] === 'allow') {
    const updated = body['updated_input'];
    return isJsonObject(updated) ? { decision: 'allow', updatedInput: updated } : { decision: 'allow' };
  }
  if (body?.['decision'] === 'deny') return { decision: 'deny', message: textMember(body, 'message', 'denied') };
  return null;
}

/** Null for an answer that is not final: an earlier presentation of the same call is still under way. */
export function readBrokered(body: JsonObject): BrokeredAnswer | null {
  if (body['ok'] !== true) {
    if (body['error'] === IN_FLIGHT) return null;
    if (body['denied'] === true) return { kind: 'denied', message: textMember(body, 'message', 'denied') };
    return { kind: 'failed', message: textMember(body, 'error', 'the brokered call failed') };
  }
  const result = isJsonObject(body['result']) ? body['result'] : {};
  const { content, structured_content: structuredContent, is_error: isError } = result;
  return {
    kind: 'answered',
    content: Array.isArray(content) ? content : [],
    ...(structuredContent === undefined ? {} : { structuredContent }),
    isError: isError === true,
  };
}

export function textMember(body: JsonObject | null, member: string, fallback: string): string {
  const value = body?.[member];
  return typeof value === 'string' && value !== '' ? value : fallback;
}
