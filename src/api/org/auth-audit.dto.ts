import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiQuery } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import type { JsonObject } from '../../domain/json.js';
import type { AuditEntryEntity } from '../../core/identity/audit-entry.entity.js';
import { AUDIT_ACTIONS, type AuditAction } from '../../core/identity/audit-log.js';
import { PageQuery } from '../http/limit.js';
import { LimitQuery } from '../openapi/parameters.js';
import { CursorQuery, IsCursor } from './cursors.js';

const TEXT_OR_NULL = { type: 'string', nullable: true } as const;

/** An entry of the log of privileged steps. */
export class AuthAuditEntry {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({
    type: 'string',
    format: 'uuid',
    nullable: true,
    description: 'Null for what is about no organization.',
  })
  tenant_id!: string | null;

  @ApiProperty({ enum: ['operator', 'user', 'system'] })
  actor_kind!: 'operator' | 'user' | 'system';

  @ApiProperty({ description: '`operator`, `system`, or the id of the user.' })
  actor_id!: string;

  @ApiProperty(TEXT_OR_NULL)
  source_ip!: string | null;

  @ApiProperty({ ...TEXT_OR_NULL, description: 'Header `x-request-id` of the answer.' })
  request_id!: string | null;

  @ApiProperty({ description: `One of ${AUDIT_ACTIONS.join(', ')}; a newer server may have more.` })
  action!: string;

  @ApiProperty({ ...TEXT_OR_NULL, description: 'Slug of an organization, else the id of what the step was about.' })
  target!: string | null;

  @ApiProperty({ description: 'False for a step that was refused.' })
  success!: boolean;

  @ApiProperty({ type: 'object', additionalProperties: true, description: 'Ids, counts and digests.' })
  detail!: JsonObject;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;
}

export class AuthAuditList {
  @ApiProperty({ type: [AuthAuditEntry], description: 'Newest first.' })
  entries!: AuthAuditEntry[];
}

/** Query of the audit log of an organization. */
export class ListAuthAudit extends PageQuery {
  @IsCursor('an entry')
  before?: string;

  @IsOptional()
  @IsIn(AUDIT_ACTIONS, { message: 'must be an action of the log' })
  action?: AuditAction;

  @IsOptional()
  @IsIn(['true', 'false'], { message: 'must be true or false' })
  success?: string;
}

/** The queries of {@link ListAuthAudit}. */
export const AuthAuditQueries = (): MethodDecorator =>
  applyDecorators(
    LimitQuery('100'),
    CursorQuery('before', 'an entry'),
    ApiQuery({
      name: 'action',
      required: false,
      schema: { type: 'string' },
      description: `Only these: one of ${AUDIT_ACTIONS.join(', ')}.`,
    }),
    ApiQuery({
      name: 'success',
      required: false,
      schema: { type: 'boolean' },
      description: 'Only what was done, or only what was refused.',
    }),
  );

export function toAuthAuditEntry(row: AuditEntryEntity): AuthAuditEntry {
  return { ...row, created_at: row.created_at.toISOString() };
}
