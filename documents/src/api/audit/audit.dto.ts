import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsString, IsUUID, MaxLength } from 'class-validator';
import type { JsonObject } from '../../../../src/domain/json.js';
import type { AuditEventEntity } from '../../core/audit/audit-event.entity.js';
import { IsInstant } from '../http/instant.js';
import { MayBeLeftOut } from '../http/left-out.js';
import { PageQuery } from '../http/page.js';

export class AuditQuery extends PageQuery {
  @ApiPropertyOptional({
    type: 'string',
    description: 'Only entries of exactly this action, such as `project.created`.',
  })
  @MayBeLeftOut()
  @IsString()
  @MaxLength(100)
  action?: string;

  @ApiPropertyOptional({ type: 'string', format: 'uuid', description: 'Only entries about this thing.' })
  @MayBeLeftOut()
  @IsUUID()
  subjectId?: string;

  @ApiPropertyOptional({
    type: 'string',
    format: 'uuid',
    description: 'Only entries about this project and what is in it.',
  })
  @MayBeLeftOut()
  @IsUUID()
  projectId?: string;

  @ApiPropertyOptional({ type: 'string', format: 'date-time', description: 'Only entries from then on.' })
  @MayBeLeftOut()
  @IsInstant()
  since?: string;
}

class ActorView {
  @ApiProperty({ type: 'string', enum: ['client', 'system'] })
  kind!: 'client' | 'system';

  @ApiProperty({ type: 'string', format: 'uuid', nullable: true })
  id!: string | null;

  @ApiProperty()
  name!: string;
}

class SubjectView {
  @ApiProperty()
  kind!: string;

  @ApiProperty({ type: 'string', format: 'uuid', nullable: true })
  id!: string | null;
}

export class AuditEventView {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ format: 'date-time' })
  occurredAt!: Date;

  @ApiProperty({ type: ActorView })
  actor!: ActorView;

  @ApiProperty({ description: 'A noun and what was done to it, such as `document.deleted`.' })
  action!: string;

  @ApiProperty({ type: SubjectView })
  subject!: SubjectView;

  @ApiProperty({ type: 'string', format: 'uuid', nullable: true })
  projectId!: string | null;

  @ApiProperty({ type: 'string', nullable: true })
  requestId!: string | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'Names and ids; never what a document says.',
  })
  detail!: JsonObject;
}

export function viewAuditEvent(row: AuditEventEntity): AuditEventView {
  return {
    id: row.id,
    occurredAt: row.occurred_at,
    actor: { kind: row.actor_kind, id: row.actor_id, name: row.actor_name },
    action: row.action,
    subject: { kind: row.subject_kind, id: row.subject_id },
    projectId: row.project_id,
    requestId: row.request_id,
    detail: row.detail,
  };
}
