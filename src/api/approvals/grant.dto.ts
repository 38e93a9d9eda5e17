import { ApiProperty } from '@nestjs/swagger';
import type { CallFindings } from '../../domain/gate/shown-call.js';
import { describeGrant, EXAMPLES, madeUpExamples } from '../../domain/policy/shell/describe-grant.js';
import type { ApprovalEntity } from '../../core/approvals/approval.entity.js';

class GrantExample {
  @ApiProperty({ description: 'One line, secrets replaced, at most 200 characters.' })
  call!: string;

  @ApiProperty({ description: 'Whether this run asked for it; false: made up to show what the grant means.' })
  from_run!: boolean;
}

/** What `approved_session` would mean for the rest of the run. */
export class ApprovalGrant {
  @ApiProperty({
    type: 'string',
    nullable: true,
    description:
      'What would run without asking, as a sentence; null when nothing can be granted: the answer counts once.',
  })
  covers!: string | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Why the answer counts once, for those who may decide, until it is decided.',
  })
  once_because!: string | null;

  @ApiProperty({ type: [String], description: 'What a later call may need, and nothing else, to be covered.' })
  keys!: string[];

  @ApiProperty({
    type: [GrantExample],
    description: 'Up to two other calls that the grant covers, for those who may decide, until it is decided.',
  })
  examples!: GrantExample[];
}

/** `findings` is null when this caller may not decide, or it is decided; `covered` are other calls of the run. */
export function toGrant(row: ApprovalEntity, findings: CallFindings | null, covered: readonly string[]): ApprovalGrant {
  const keys = grantedKeys(row);
  if (keys.length === 0) return { covers: null, once_because: findings?.once_because ?? null, keys, examples: [] };
  const covers = describeGrant(row.tool, keys);
  return { covers, once_because: null, keys, examples: findings === null ? [] : examplesOf(row, keys, covered) };
}

/** Calls of the run first; made up ones say that they are. */
function examplesOf(row: ApprovalEntity, keys: readonly string[], covered: readonly string[]): GrantExample[] {
  const real = covered.map((call) => ({ call, from_run: true }));
  const madeUp = madeUpExamples(row.tool, keys)
    .filter((call) => call !== row.summary && !covered.includes(call))
    .map((call) => ({ call, from_run: false }));
  return [...real, ...madeUp].slice(0, EXAMPLES);
}

/** The registry holds each key with its tool. */
function grantedKeys(row: ApprovalEntity): string[] {
  return (row.scope_keys ?? []).map((text) => {
    const [, key] = JSON.parse(text) as [string, string];
    return key;
  });
}
