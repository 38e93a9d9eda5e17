import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { AUTONOMOUS_ACTIONS } from '../../domain/policy/document.js';
import { BudgetsView } from '../budgets/budgets.dto.js';
import { MatrixRowView } from './matrix.dto.js';

/** A policy at one version; every answer about a policy has at least this (docs/design/policy.md). */
export class PolicyView {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty()
  name!: string;

  @ApiProperty({ type: 'integer', format: 'int32', minimum: 1 })
  version!: number;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'The whole policy document of this version; what a run freezes as `policy_snapshot`.',
  })
  content!: object;

  @ApiProperty({
    description: 'The stored source, or one generated from the content when the version did not arrive as YAML.',
  })
  yaml!: string;

  @ApiProperty({
    type: [String],
    description: 'What makes the version invalid: a deny pattern that does not compile. No run is created from it.',
  })
  defects!: string[];

  @ApiProperty({ type: 'string', nullable: true })
  summary!: string | null;

  @ApiProperty({ type: 'string', enum: ['seed', 'api', 'ui', 'import'] })
  author!: string;

  @ApiProperty({ type: 'string', format: 'uuid', nullable: true })
  author_user_id!: string | null;

  @ApiProperty({ description: 'User id, else the channel in `author`.' })
  published_by!: string;

  @ApiProperty({ format: 'date-time', description: 'When this version was appended.' })
  created_at!: string;

  @ApiProperty({ format: 'date-time', description: 'When the newest version was appended.' })
  updated_at!: string;
}

export class ImportedPolicy extends PolicyView {
  @ApiProperty({ description: 'False when the head had this content already and nothing was written.' })
  appended!: boolean;
}

export class PolicyAgent {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty()
  name!: string;
}

export class AutonomySummaryView {
  @ApiProperty({ description: 'Whether autonomous runs may be created.' })
  permitted!: boolean;

  @ApiProperty({ enum: AUTONOMOUS_ACTIONS, description: 'What becomes of a question that no rule of its own answers.' })
  default_fallback!: string;

  @ApiProperty({ type: 'integer', description: 'Rules that would ask, and allow in an autonomous run.' })
  allow_overrides!: number;

  @ApiProperty({ type: 'integer', description: 'Rules that would ask, and deny in an autonomous run.' })
  deny_overrides!: number;
}

export class PolicyListItem extends PolicyView {
  @ApiProperty({ type: [PolicyAgent], description: 'Agents whose latest revision names the policy.' })
  agents_using!: PolicyAgent[];

  @ApiProperty({ type: AutonomySummaryView })
  autonomy_summary!: AutonomySummaryView;
}

export class PolicyList {
  @ApiProperty({ type: [PolicyListItem], description: 'Heads, ordered by name.' })
  policies!: PolicyListItem[];
}

export class PolicyVersionRow {
  @ApiProperty({ type: 'integer', format: 'int32', minimum: 1 })
  version!: number;

  @ApiProperty({ type: 'string', enum: ['seed', 'api', 'ui', 'import'] })
  author!: string;

  @ApiProperty({ type: 'string', format: 'uuid', nullable: true })
  author_user_id!: string | null;

  @ApiProperty({ type: 'string', nullable: true })
  summary!: string | null;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;
}

/** A section of the document, as the document has it. */
const Section = (description: string): PropertyDecorator =>
  ApiProperty({ type: 'object', additionalProperties: true, description });

export class PolicyDetail extends PolicyListItem {
  @ApiProperty({ type: [PolicyVersionRow], description: 'Newest first, without content.' })
  versions!: PolicyVersionRow[];

  @Section('`defaults` of the document.')
  defaults!: object;

  @ApiProperty({ type: BudgetsView })
  budgets!: object;

  @Section('`approvals` of the document.')
  approvals!: object;

  @Section('`egress` of the document.')
  egress!: object;

  @ApiProperty({ type: [MatrixRowView], description: "The canonical tools, then the `mcp__*` tools of the policy's agents." })
  matrix!: MatrixRowView[];
}

export class PolicyDeleted {
  @ApiProperty()
  deleted!: boolean;
}

export class PolicyValidity {
  @ApiProperty()
  valid!: boolean;

  @ApiProperty({ type: [String], description: 'Every fault that was found.' })
  errors!: string[];

  @ApiPropertyOptional({ description: 'Name of the policy, when it is valid.' })
  name?: string;
}
