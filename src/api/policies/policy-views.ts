import { autonomySummary } from '../../domain/policy/autonomy-summary.js';
import { canonicalPolicy } from '../../domain/policy/canonical-form.js';
import { compileDocument, policyDefects } from '../../domain/policy/compile-policy.js';
import type { PolicyDocument } from '../../domain/policy/document.js';
import { governanceMatrix } from '../../domain/policy/governance-matrix.js';
import { parsePolicyLenient } from '../../domain/policy/parse-policy.js';
import { policyToYaml } from '../../domain/policy/policy-yaml.js';
import type { JsonObject } from '../../domain/json.js';
import type { MatrixRowView } from './matrix.dto.js';
import type { AutonomySummaryView, PolicyDetail, PolicyListItem, PolicyView } from './policies.dto.js';
import type { PolicyVersionEntity } from '../../core/policies/policy.entity.js';
import type { AgentUsing } from '../../core/policies/policy-users.js';
import type { PolicyAt } from '../../core/policies/policy-versions.js';

export function toPolicyView({ policy, version }: PolicyAt): PolicyView {
  const document = documentOf({ policy, version });
  const content = canonicalPolicy(document);
  return {
    id: policy.id,
    name: policy.name,
    version: version.version,
    content,
    yaml: version.yaml_source ?? policyToYaml(content),
    defects: policyDefects(document),
    summary: version.summary,
    author: version.author,
    author_user_id: version.author_user_id,
    published_by: version.author_user_id ?? version.author,
    created_at: version.created_at.toISOString(),
    updated_at: policy.updated_at.toISOString(),
  };
}

export function toListItem(at: PolicyAt, users: AgentUsing[]): PolicyListItem {
  return { ...toPolicyView(at), agents_using: users, autonomy_summary: autonomySummary(documentOf(at)) };
}

export function toDetail(
  at: PolicyAt,
  users: AgentUsing[],
  versions: readonly PolicyVersionEntity[],
  mcpTools: readonly string[],
): PolicyDetail {
  return {
    ...toPolicyView(at),
    ...governedView(documentOf(at), mcpTools),
    agents_using: users,
    versions: versions.map(({ version, author, author_user_id, summary, created_at }) => {
      return { version, author, author_user_id, summary, created_at: created_at.toISOString() };
    }),
  };
}

/** The sections and the derived views of a document, which detail and preview share (docs/design/policy.md). */
export interface GovernedView {
  content: JsonObject;
  autonomy_summary: AutonomySummaryView;
  defaults: object;
  budgets: object;
  approvals: object;
  egress: object;
  matrix: MatrixRowView[];
}

export function governedView(document: PolicyDocument, mcpTools: readonly string[]): GovernedView {
  const { defaults, budgets, approvals, egress } = document;
  return {
    content: canonicalPolicy(document),
    autonomy_summary: autonomySummary(document),
    defaults,
    budgets,
    approvals,
    egress,
    matrix: governanceMatrix(compileDocument(document), mcpTools),
  };
}

function documentOf({ version }: PolicyAt): PolicyDocument {
  return parsePolicyLenient(version.content as JsonObject);
}
