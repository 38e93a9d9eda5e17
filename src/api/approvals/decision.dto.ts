import { Transform } from 'class-transformer';
import { IsIn } from 'class-validator';
import type { ApprovalDecision } from '../../core/approvals/approvals.js';
import { ValidatedByService } from '../http/validated.js';

const DECISIONS: readonly ApprovalDecision[] = ['approved_once', 'approved_session', 'denied'];

/** Older names, which some clients still send. */
const FORMER_WORDS: ReadonlyMap<unknown, ApprovalDecision> = new Map([
  ['approve', 'approved_once'],
  ['allow', 'approved_once'],
  ['deny', 'denied'],
]);

/** Words that a decision may be written as. */
export const DECISION_WORDS = [...DECISIONS, ...FORMER_WORDS.keys()];

/** A malformed id of an approval is 404, whatever the body says. */
@ValidatedByService()
export class DecideApproval {
  @Transform(({ value }: { value: unknown }) => FORMER_WORDS.get(value) ?? value)
  @IsIn(DECISIONS, { message: 'must be approved_once, approved_session or denied' })
  decision!: ApprovalDecision;
}
