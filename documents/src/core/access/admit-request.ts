import { DocsvcError } from '../../domain/errors.js';
import type { Scope } from '../../domain/access/scopes.js';
import type { Record as DocsvcRecord } from '../record/record.js';
import type { Caller } from './caller.js';
import { hashSecret } from './secrets.js';

/** Requests of one credential in a minute, by what they do; a search or a generation counts as a request too. */
export interface RequestRates {
  requests: number;
  searches: number;
  schema_generations: number;
}

export type RateKind = keyof RequestRates;

/** How the bucket stands that this request was counted in. */
export interface RateState {
  limit: number;
  remaining: number;
  resetSeconds: number;
}

/** What became of a credential at the door. */
export type Admission =
  | { verdict: 'unknown' }
  | { verdict: 'expired' }
  | { verdict: 'limited'; rate: RateState; retrySeconds: number }
  | { verdict: 'ok'; rate: RateState; caller: Caller };

interface AdmissionRow {
  verdict: Admission['verdict'];
  org_id: string;
  client_row_id: string;
  client_name: string;
  scopes: Scope[];
  workspace_ids: string[] | null;
  project_ids: string[] | null;
  signing_salt: Buffer;
  rate_limit: number;
  rate_remaining: number;
  reset_seconds: number;
  retry_seconds: number | null;
}

/** Longer texts are no token of ours. */
const MAX_TOKEN_CHARS = 256;

/** Looks up who sent a token, and counts the request in one statement. */
export async function admitRequest(
  record: Pick<DocsvcRecord, 'query'>,
  rates: RequestRates,
  { token, kind, requestId }: { token: string; kind: RateKind; requestId: string },
): Promise<Admission> {
  if (token.length > MAX_TOKEN_CHARS) return { verdict: 'unknown' };
  const kinds: RateKind[] = kind === 'requests' ? ['requests'] : ['requests', kind];
  const [row] = await record.query<AdmissionRow>('select * from docsvc_admit_request($1, $2, $3)', [
    hashSecret(token),
    kinds,
    kinds.map((one) => rates[one]),
  ]);
  if (row === undefined || row.verdict === 'unknown') return { verdict: 'unknown' };
  if (row.verdict === 'expired') return { verdict: 'expired' };
  const rate = { limit: row.rate_limit, remaining: row.rate_remaining, resetSeconds: row.reset_seconds };
  if (row.verdict === 'limited') return { verdict: 'limited', rate, retrySeconds: row.retry_seconds ?? 1 };
  return { verdict: 'ok', rate, caller: callerOf(row, requestId) };
}

/** @throws DocsvcError `insufficient_scope` naming what the credential lacks */
export function requireScope(caller: Caller, scope: Scope): void {
  if (caller.scopes.includes(scope)) return;
  throw new DocsvcError('insufficient_scope', `this credential lacks the scope ${scope}`, {
    details: [{ path: 'scope', code: 'insufficient_scope', message: scope }],
  });
}

function callerOf(row: AdmissionRow, requestId: string): Caller {
  return {
    orgId: row.org_id,
    clientId: row.client_row_id,
    clientName: row.client_name,
    scopes: row.scopes,
    workspaceIds: row.workspace_ids,
    projectIds: row.project_ids,
    signingSalt: row.signing_salt,
    requestId,
  };
}
