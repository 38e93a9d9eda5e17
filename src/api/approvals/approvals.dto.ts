import { ApiProperty } from '@nestjs/swagger';
import type { ExactJson } from '../../domain/digest/exact-json.js';
import type { JsonObject } from '../../domain/json.js';
import type { ApprovalRow } from '../../platform/db/approvals.js';

export const APPROVAL_STATUSES = ['pending', 'approved_once', 'approved_session', 'denied', 'expired'] as const;
/** Words that a decision may be written as; the short ones are older names. */
export const DECISION_WORDS = ['approved_once', 'approved_session', 'denied', 'approve', 'allow', 'deny'] as const;

export class ApprovalView {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ format: 'uuid' })
  session_id!: string;

  @ApiProperty()
  tool_call_id!: string;

  @ApiProperty()
  tool!: string;

  @ApiProperty({ description: 'One line for lists.' })
  summary!: string;

  @ApiProperty({ description: '`sha256:` and 64 hexadecimal digits over the canonical form of the input.' })
  input_digest!: string;

  @ApiProperty({
    anyOf: [
      { type: 'object', additionalProperties: true },
      { type: 'array', items: {} },
      { type: 'string' },
      { type: 'number' },
      { type: 'boolean' },
      { type: 'null' },
    ],
    description: 'The whole input, secrets replaced, for those who may decide; null once it was deleted.',
  })
  input!: ExactJson;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'What the gate found: parts, rule and reason.',
  })
  explanation!: JsonObject | null;

  @ApiProperty({ type: 'string', nullable: true })
  risk!: string | null;

  @ApiProperty({
    type: 'string',
    enum: ['once', 'session', null],
    nullable: true,
    description: "The policy's hint; it does not limit the decision.",
  })
  scope!: string | null;

  @ApiProperty({ type: 'string', nullable: true, description: 'What a session grant would cover.' })
  scope_key!: string | null;

  @ApiProperty({ type: 'string', enum: APPROVAL_STATUSES })
  status!: string;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Why the gate asked, or why an approved call was withheld or an approval narrowed.',
  })
  reason!: string | null;

  @ApiProperty({ format: 'date-time' })
  requested_at!: string;

  @ApiProperty({ type: 'string', format: 'date-time', nullable: true })
  expires_at!: string | null;

  @ApiProperty({ type: 'string', format: 'date-time', nullable: true })
  decided_at!: string | null;

  @ApiProperty({ type: 'string', nullable: true, description: '`operator`, a user id, or `timeout`.' })
  decided_by!: string | null;
}

export class ApprovalList {
  @ApiProperty({ type: [ApprovalView] })
  approvals!: ApprovalView[];
}

/** Closed, unlike every other body: a member that is not known is refused. */
export const DECISION_SCHEMA = {
  type: 'object',
  required: ['decision'],
  additionalProperties: false,
  properties: {
    decision: {
      type: 'string',
      enum: [...DECISION_WORDS],
      description: '`approve` and `allow` mean `approved_once`, `deny` means `denied`.',
    },
  },
};

export function toApprovalView(row: ApprovalRow, input: ExactJson): ApprovalView {
  return {
    id: row.id,
    session_id: row.session_id,
    tool_call_id: row.tool_call_id,
    tool: row.tool,
    summary: row.summary,
    input_digest: row.input_digest,
    input,
    explanation: row.explanation,
    risk: row.risk,
    scope: row.scope,
    scope_key: row.scope_key,
    status: row.status,
    reason: row.withheld_reason ?? row.reason,
    requested_at: row.requested_at.toISOString(),
    expires_at: row.expires_at?.toISOString() ?? null,
    decided_at: row.decided_at?.toISOString() ?? null,
    decided_by: row.decided_by,
  };
}
