import { IsOptional, Matches } from 'class-validator';
import { PageQuery } from '../http/limit.js';
import { ValidatedByService } from '../http/validated.js';

/** Query of a list of approvals. A malformed id of a run is 404, whatever the query says. */
@ValidatedByService()
export class ListApprovals extends PageQuery {
  @IsOptional()
  @Matches(/^[0-9]{1,9}$/, { message: 'must be a whole number of seconds' })
  wait?: string;

  @IsOptional()
  @Matches(/^[\x21-\x7e]{1,128}$/, { message: 'must be the member `cursor` of an earlier answer' })
  cursor?: string;
}
