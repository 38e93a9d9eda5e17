import { setTimeout as delay } from 'node:timers/promises';
import { parseJsonPreservingNumbers } from '../../domain/digest/parse-json.js';
import { CliError, EXIT } from '../terminal/exit-codes.js';
import type { SandgateClient } from './sandgate-client.js';
import type { Approval, ApprovalList, DecidedApproval, Decision } from './wire.js';

/** For how long the server holds a list in which nothing changes; below the time limit of a request. */
export const WAIT_SECS = 25;
const RETRY_MS = 1000;

/** The inbox, or with a run every approval that it asked for. */
export async function listApprovals(client: SandgateClient, runId?: string): Promise<Approval[]> {
  return (await readList(client, runId, {})).approvals;
}

/** Every approval that waits, or those of one run. */
export async function pendingApprovals(client: SandgateClient, runId?: string): Promise<Approval[]> {
  return (await listApprovals(client, runId)).filter((approval) => approval.status === 'pending');
}

export async function readApproval(client: SandgateClient, id: string): Promise<Approval> {
  return exact<Approval>(
    await client.call((api) => api.GET('/v1/approvals/{id}', { params: { path: { id } }, parseAs: 'text' })),
  );
}

export function decide(client: SandgateClient, approvalId: string, decision: Decision): Promise<DecidedApproval> {
  return client.call((api) =>
    api.POST('/v1/approvals/{id}/decision', { params: { path: { id: approvalId } }, body: { decision } }),
  );
}

/**
 * Every state of the inbox, or of a run's approvals, from the present one on, until `signal` aborts. A server that is
 * unreachable, or busy, is asked again; what it refuses for good is thrown.
 */
export async function* followApprovals(
  client: SandgateClient,
  runId: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<Approval[]> {
  let cursor: string | undefined;
  while (!signal.aborted) {
    try {
      const known = cursor;
      const list = await readList(client, runId, known === undefined ? {} : { cursor: known, wait: WAIT_SECS }, signal);
      cursor = list.cursor;
      if (cursor !== known) yield list.approvals;
    } catch (error) {
      if (signal.aborted) return;
      const passing =
        error instanceof CliError && (error.exitCode === EXIT.unreachable || error.exitCode === EXIT.failure);
      if (!passing) throw error;
      await delay(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}

async function readList(
  client: SandgateClient,
  runId: string | undefined,
  query: { cursor?: string; wait?: number },
  signal: AbortSignal | null = null,
): Promise<ApprovalList> {
  return exact<ApprovalList>(
    await client.call((api) =>
      runId === undefined
        ? api.GET('/v1/approvals', { params: { query }, parseAs: 'text', signal })
        : api.GET('/v1/sessions/{id}/approvals', { params: { path: { id: runId }, query }, parseAs: 'text', signal }),
    ),
  );
}

/** Numbers of an input are shown as they were written, and not as JavaScript rounds them (docs/design/gate.md). */
function exact<T>(text: string): T {
  return parseJsonPreservingNumbers(text) as T;
}
