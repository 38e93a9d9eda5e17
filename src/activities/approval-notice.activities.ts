import {
  readNoticeSubject,
  recordNotice,
  type NoticeState,
  type NoticeSubject,
} from '../core/approvals/notice-records.js';
import type { Database } from '../core/record/database.js';
import { waitAfter } from '../domain/deliveries/retry-plan.js';
import { standardHeaders } from '../domain/deliveries/webhook-headers.js';
import type { GuardedClient } from '../platform/egress/guarded-client.js';
import { sendWebhook, type WebhookOutcome } from '../platform/egress/send-webhook.js';
import { whileHeartbeating } from '../platform/temporal/heartbeats.js';
import type { ApprovalNoticeActivities, ApprovalRef } from './run-activities.js';

/** Who is told. */
export interface NoticeReceiver {
  url: string;
  /** `whsec_…` */
  secret: string;
  timeoutMs: number;
}

export interface ApprovalNoticeDependencies {
  database: Database;
  /** Toward hosts that the operator configured. */
  client: GuardedClient;
  /** Null when no webhook is configured (any more): notices under way end. */
  target: NoticeReceiver | null;
  /** Between two attempts; there is one attempt more. */
  waitsMs: readonly number[];
  /** Base of links. */
  publicUrl: string;
  log: Record<'warn' | 'error', (fields: Record<string, unknown>, message: string) => void>;
}

/** Tool names as harnesses and MCP write them. A name that an agent made up could carry a message to the reader of the notice. */
const TOOL_NAME = /^[A-Za-z0-9_.:/-]{1,128}$/;

/** Notifies people outside that a tool call waits for them. */
export function createApprovalNoticeActivities(on: ApprovalNoticeDependencies): ApprovalNoticeActivities {
  return {
    deliverNotice: (approval, attempt) => whileHeartbeating((signal) => deliver(on, approval, attempt, signal)),
  };
}

async function deliver(
  on: ApprovalNoticeDependencies,
  approval: ApprovalRef,
  attempt: number,
  signal: AbortSignal,
): Promise<{ waitMs: number | null }> {
  const subject = await on.database.withTenant(approval.organizationId, (tx) =>
    readNoticeSubject(tx, approval.approvalId),
  );
  if (subject === null || subject.told || on.target === null) return { waitMs: null };
  if (!subject.open) return settle(on, approval, { state: 'overtaken', attempts: attempt - 1, error: null });
  const { url, secret, timeoutMs } = on.target;
  const body = writeNotice(subject, on.publicUrl);
  const headers = standardHeaders(secret, { id: `approval_${subject.approvalId}`, body, at: new Date() });
  return conclude(on, approval, attempt, await sendWebhook(on.client, { url, headers, body, timeoutMs }, signal));
}

async function conclude(
  on: ApprovalNoticeDependencies,
  approval: ApprovalRef,
  attempt: number,
  outcome: WebhookOutcome,
): Promise<{ waitMs: number | null }> {
  if (outcome.delivered) return settle(on, approval, { state: 'delivered', attempts: attempt, error: null });
  const waitMs = waitAfter(on.waitsMs, attempt, Math.random());
  const fields = { approvalId: approval.approvalId, runId: approval.runId, attempt, error: outcome.error };
  if (waitMs === null) {
    on.log.error(fields, 'nobody could be told of a pending approval: SERVICE_APPROVAL_WEBHOOK_URL took no attempt');
    return settle(on, approval, { state: 'failed', attempts: attempt, error: outcome.error });
  }
  on.log.warn(fields, 'the notice of a pending approval was not accepted; trying again');
  await settle(on, approval, { state: 'retrying', attempts: attempt, error: outcome.error });
  return { waitMs };
}

async function settle(
  { database }: ApprovalNoticeDependencies,
  { organizationId, approvalId, runId }: ApprovalRef,
  result: { state: NoticeState; attempts: number; error: string | null },
): Promise<{ waitMs: null }> {
  await database.withTenant(organizationId, (tx) => recordNotice(tx, { approvalId, runId, ...result }));
  return { waitMs: null };
}

/** The body: who waits for what until when, and where to look. It holds nothing of the input, and the link carries no authority. */
export function writeNotice(subject: NoticeSubject, publicUrl: string): string {
  return JSON.stringify({
    type: 'approval.requested',
    timestamp: subject.requestedAt.toISOString(),
    data: {
      approval_id: subject.approvalId,
      session_id: subject.runId,
      agent: subject.agent,
      tool: TOOL_NAME.test(subject.tool) ? subject.tool : null,
      risk: subject.risk,
      expires_at: subject.expiresAt?.toISOString() ?? null,
      url: `${publicUrl}/v1/approvals/${subject.approvalId}`,
    },
  });
}
