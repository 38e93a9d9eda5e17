import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsUUID } from 'class-validator';
import type { ListedWebSession } from '../../core/identity/management/member-credentials.js';
import { MayBeLeftOut } from '../http/left-out.js';
import { PageQuery } from '../http/limit.js';
import { OptionalBody } from '../http/optional-body.js';
import { IsCursor } from './cursors.js';

const TEXT_OR_NULL = { type: 'string', nullable: true } as const;

/** A live browser session; never its token. */
export class WebSession {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ format: 'uuid' })
  membership_id!: string;

  @ApiProperty({ format: 'uuid' })
  user_id!: string;

  @ApiProperty(TEXT_OR_NULL)
  email!: string | null;

  @ApiProperty(TEXT_OR_NULL)
  name!: string | null;

  @ApiProperty({ format: 'uuid' })
  idp_config_id!: string;

  @ApiProperty({ ...TEXT_OR_NULL, description: 'Where the login came from.' })
  source_ip!: string | null;

  @ApiProperty({ ...TEXT_OR_NULL, description: 'What the browser said of itself at the login.' })
  user_agent!: string | null;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;

  @ApiProperty({ format: 'date-time', description: 'To the minute.' })
  last_seen_at!: string;

  @ApiProperty({ format: 'date-time' })
  idle_expires_at!: string;

  @ApiProperty({ format: 'date-time' })
  absolute_expires_at!: string;
}

export class WebSessionList {
  @ApiProperty({ type: [WebSession], description: 'Live ones, newest first.' })
  web_sessions!: WebSession[];
}

/** Query of a list of what people hold. */
export class ListCredentials extends PageQuery {
  @IsCursor('a membership')
  member?: string;

  @IsCursor('the row before which the page ends')
  before?: string;
}

@OptionalBody()
export class RevokeWebSessions {
  @ApiPropertyOptional({ format: 'uuid', description: "Only this member's; everybody's when left out." })
  @MayBeLeftOut()
  @IsUUID('loose', { message: 'must be the id of a membership' })
  membership_id?: string;
}

export class RevokedWebSessions {
  @ApiProperty({ type: 'integer', minimum: 0 })
  sessions_revoked!: number;
}

export function toWebSession(row: ListedWebSession): WebSession {
  return {
    ...row,
    created_at: row.created_at.toISOString(),
    last_seen_at: row.last_seen_at.toISOString(),
    idle_expires_at: row.idle_expires_at.toISOString(),
    absolute_expires_at: row.absolute_expires_at.toISOString(),
  };
}
