import { Transform } from 'class-transformer';
import { IsIn, IsOptional, IsUUID, Matches } from 'class-validator';
import type { SessionFilter } from '../../core/runs/find-sessions.js';
import { IsLabelFilter, labelFilter } from '../../domain/run/labels.js';
import { RUN_STATUSES } from '../../domain/run/status.js';
import { IsLimit, rowsAsked } from '../http/limit.js';

const DEFAULT_PAGE = 50;
const isGivenOnce = Matches(/[^]/, { message: 'must be given once and not be empty' });
const isRunId = IsUUID('loose', { message: 'must be the id of a run' });

/** Query of the list of runs. */
export class ListSessions {
  @IsLimit()
  limit?: string;

  @IsOptional()
  @Transform(({ value }: { value: unknown }) => [value].flat())
  @IsIn(RUN_STATUSES, { each: true, message: `must be one of ${RUN_STATUSES.join(', ')}` })
  status?: string[];

  @IsOptional()
  @isGivenOnce
  agent?: string;

  @IsOptional()
  @IsLabelFilter()
  label?: string | string[];

  @IsOptional()
  @isGivenOnce
  @isRunId
  before?: string;

  @IsOptional()
  @isGivenOnce
  @isRunId
  after?: string;
}

export function toSessionFilter({ limit, status, agent, label, before, after }: ListSessions): SessionFilter {
  return { limit: rowsAsked(limit, DEFAULT_PAGE), status, agent, labels: labelFilter(label), before, after };
}
