import { ApiProperty } from '@nestjs/swagger';
import type { ExactJson } from '../../domain/digest/exact-json.js';
import type { ShownCall } from '../../domain/gate/shown-call.js';
import type { ApprovalEntity } from '../../core/approvals/approval.entity.js';
import { ANY_JSON } from '../openapi/any-json.js';
import { ApprovalExplanation, toExplanation } from './explanation.dto.js';
import { DECISION_WORDS } from './decision.dto.js';
import { ApprovalGrant, toGrant } from './grant.dto.js';

export const APPROVAL_STATUSES = ['pending', 'approved_once', 'approved_session', 'denied', 'expired'] as const;

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
    ...ANY_JSON,
    description: 'The whole input, secrets replaced, for those who may decide; null once it was deleted.',
  })
  input!: ExactJson;

  @ApiProperty({
    type: ApprovalExplanation,
    nullable: true,
    description: 'Why the gate asked, and what it found in the call.',
  })
  explanation!: ApprovalExplanation | null;

  @ApiProperty({ type: 'string', nullable: true })
  risk!: string | null;

  @ApiProperty({
    type: 'string',
    enum: ['once', 'session', null],
    nullable: true,
    description: "The policy's hint; it does not limit the decision.",
  })
  scope!: string | null;

  @ApiProperty({ type: 'string', nullable: true, description: 'The keys of `grant`, joined by `, `.' })
  scope_key!: string | null;

  @ApiProperty({ type: ApprovalGrant, description: 'What `approved_session` would cover.' })
  grant!: ApprovalGrant;

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

  @ApiProperty({ description: 'Names this state of the list; give it back with `wait` to hear of the next one.' })
  cursor!: string;
}

export class DecidedApproval extends ApprovalView {
  @ApiProperty({ description: 'Whether this request settled it; false: it was settled before, as the record says.' })
  won!: boolean;

  @ApiProperty({
    description:
      '`approved_session` was asked for and recorded as `approved_once`, because nothing can be granted for the run.',
  })
  narrowed!: boolean;
}

export const DECISION_SCHEMA = {
  type: 'object',
  required: ['decision'],
  additionalProperties: false,
  properties: {
    decision: {
      type: 'string',
      enum: DECISION_WORDS,
      description: '`approve` and `allow` mean `approved_once`, `deny` means `denied`.',
    },
  },
};

/** `shown` is null when the input is gone, or this caller may not decide; `covered`: other calls that a grant would cover. */
export function toApprovalView(
  row: ApprovalEntity,
  shown: ShownCall | null,
  covered: readonly string[] = [],
): ApprovalView {
  return {
    id: row.id,
    session_id: row.session_id,
    tool_call_id: row.tool_call_id,
    tool: row.tool,
    summary: row.summary,
    input_digest: row.input_digest,
    input: shown?.input ?? null,
    explanation: row.explanation === null ? null : toExplanation(row.explanation, shown?.findings ?? null),
    risk: row.risk,
    scope: row.scope,
    scope_key: row.scope_key,
    grant: toGrant(row, shown?.findings ?? null, covered),
    status: row.status,
    reason: row.withheld_reason ?? row.reason,
    requested_at: row.requested_at.toISOString(),
    expires_at: row.expires_at?.toISOString() ?? null,
    decided_at: row.decided_at?.toISOString() ?? null,
    decided_by: row.decided_by,
  };
}
