import { ApiProperty } from '@nestjs/swagger';
import type { CallFindings } from '../../domain/gate/shown-call.js';
import type { JsonObject } from '../../domain/json.js';

const DECIDED_BY = [
  'default_action',
  'rule_action',
  'deny_regex',
  'allow_prefix',
  'no_prefix',
  'no_command',
  'not_analysable',
  'redirect',
  'path_deny',
  'path_allow',
  'path_outside',
  'no_path',
] as const;

class ExplainedPart {
  @ApiProperty({ description: 'Source text of the part, at most 500 characters.' })
  text!: string;

  @ApiProperty({ enum: ['command', 'write', 'read'] })
  kind!: string;

  @ApiProperty({ type: 'string', nullable: true, description: 'Program or path; null when it is not a literal.' })
  subject!: string | null;

  @ApiProperty({ type: 'string', nullable: true, description: 'The allow prefix that covers it.' })
  covered_by!: string | null;
}

class ExplainedFile {
  @ApiProperty({ description: 'Relative to the workspace.' })
  path!: string;

  @ApiProperty({ description: 'Bytes.' })
  size!: number;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description:
      '`sha256:` and 64 hexadecimal digits; null for a file too large to read, whose changes are noticed all the same.',
  })
  digest!: string | null;
}

/** Why the gate asked, and what it found in the call (docs/design/gate.md). */
export class ApprovalExplanation {
  @ApiProperty({ type: 'string', enum: [...DECIDED_BY, null], nullable: true })
  decided_by!: string | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Index of the rule in `tools`; null when none matched.',
  })
  rule!: number | null;

  @ApiProperty({ type: 'string', nullable: true, description: 'The matcher of that rule that hit.' })
  matcher!: string | null;

  @ApiProperty({ type: 'string', nullable: true, description: 'Deny pattern, allow prefix or glob that decided.' })
  pattern!: string | null;

  @ApiProperty({ type: 'string', nullable: true, description: 'Why the gate asked, as a sentence.' })
  reason!: string | null;

  @ApiProperty({
    type: [ExplainedFile],
    description: 'Workspace files that the command names, as they were at asking. A change of one denies the call.',
  })
  files!: ExplainedFile[];

  @ApiProperty({
    type: 'string',
    nullable: true,
    description:
      'The part or the path that decided. With what follows only for those who may decide, until it is decided.',
  })
  subject!: string | null;

  @ApiProperty({ type: 'string', nullable: true, description: 'Working directory that the call asks for.' })
  cwd!: string | null;

  @ApiProperty({ type: [ExplainedPart], description: 'Parts of the command, in the order of the text.' })
  parts!: ExplainedPart[];

  @ApiProperty({ description: 'Parts beyond those listed.' })
  parts_omitted!: number;

  @ApiProperty({
    type: [String],
    description: 'Words of the command that may name files and that only the run decides: not known beforehand.',
  })
  not_known_beforehand!: string[];
}

/** Joins what is stored with the row and what was opened for this caller. */
export function toExplanation(stored: JsonObject, findings: CallFindings | null): ApprovalExplanation {
  const text = (member: string): string | null => {
    const value = stored[member];
    return typeof value === 'string' ? value : null;
  };
  const files = Array.isArray(stored['files']) ? (stored['files'] as unknown as ExplainedFile[]) : [];
  return {
    decided_by: text('decided_by'),
    rule: typeof stored['rule'] === 'number' ? stored['rule'] : null,
    matcher: text('matcher'),
    pattern: text('pattern'),
    reason: text('reason'),
    files: files.map(({ path, size, digest }) => ({ path, size, digest })),
    subject: findings?.subject ?? null,
    cwd: findings?.cwd ?? null,
    parts: findings?.parts ?? [],
    parts_omitted: findings?.parts_omitted ?? 0,
    not_known_beforehand: findings?.not_known_beforehand ?? [],
  };
}
