import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { POLICY_ACTIONS } from '../../domain/policy/document.js';
import { TOOL_GROUPS } from '../../domain/tools/vocabulary.js';

export const VERDICTS = ['allow', 'deny', 'require_approval'] as const;

class ToolConstraintsView {
  @ApiProperty({ type: [String] })
  paths_allow!: string[];

  @ApiProperty({ type: [String] })
  paths_deny!: string[];

  @ApiProperty({
    type: 'string',
    enum: [...POLICY_ACTIONS, null],
    nullable: true,
    description: 'What a path outside `paths_allow` gets; null when there is no such list.',
  })
  paths_on_no_match!: string | null;

  @ApiProperty({ type: [String] })
  shell_allow_prefixes!: string[];

  @ApiProperty({ type: [String] })
  shell_deny_regex!: string[];

  @ApiProperty({ type: 'string', enum: [...POLICY_ACTIONS, null], nullable: true })
  shell_on_no_match!: string | null;
}

class ToolStatusView {
  @ApiProperty({ enum: ['unconditional', 'conditional', 'default'] })
  status!: string;

  @ApiProperty({ enum: POLICY_ACTIONS, description: 'Of a conditional rule: where its constraints are met.' })
  action!: string;

  @ApiPropertyOptional({ type: 'integer', description: 'Index in `tools`; left out when no rule matches.' })
  rule?: number;

  @ApiPropertyOptional({ type: ToolConstraintsView, description: 'Of a conditional rule.' })
  constraints?: ToolConstraintsView;
}

/** One tool under a policy (docs/design/policy.md). */
export class MatrixRowView {
  @ApiProperty()
  tool!: string;

  @ApiProperty({ enum: VERDICTS, description: 'Of a supervised call with an empty input.' })
  verdict!: string;

  @ApiProperty({ type: 'string', enum: [...TOOL_GROUPS, null], nullable: true, description: 'Null for MCP tools.' })
  group!: string | null;

  @ApiProperty({ type: 'string', nullable: true, description: 'MCP server or slot.' })
  server!: string | null;

  @ApiProperty({ type: ToolStatusView })
  status!: ToolStatusView;
}
