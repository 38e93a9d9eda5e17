import { SandgateError } from '../../domain/errors.js';
import { isUuid } from '../../domain/uuid.js';
import type { TenantTransaction } from '../record/database.js';
import { isStorableText } from '../../domain/storage/storable-text.js';
import { AgentEntity, AgentRevisionEntity } from './agent.entity.js';

/** The organization's agent of that id or name, or null. */
export async function findAgent(tx: TenantTransaction, idOrName: string): Promise<AgentEntity | null> {
  if (!isStorableText(idOrName)) return null;
  return tx.manager.findOneBy(AgentEntity, isUuid(idOrName) ? { id: idOrName } : { name: idOrName });
}

/** The revision with the highest number. Every agent has one. */
export async function latestRevision(tx: TenantTransaction, agent: AgentEntity): Promise<AgentRevisionEntity> {
  return tx.manager.findOneOrFail(AgentRevisionEntity, { where: { agent_id: agent.id }, order: { rev: 'DESC' } });
}

/** The pinned revision, else the latest one. @throws SandgateError `invalid_request` for a revision of another agent */
export async function chosenRevision(
  tx: TenantTransaction,
  agent: AgentEntity,
  pinned: string | null,
): Promise<AgentRevisionEntity> {
  if (pinned === null) return latestRevision(tx, agent);
  const revision = await tx.manager.findOneBy(AgentRevisionEntity, { id: pinned, agent_id: agent.id });
  if (revision !== null) return revision;
  throw new SandgateError('invalid_request', `pinned_revision_id: agent ${agent.name} has no revision ${pinned}`);
}

/** By agent, what its latest revision says of it; agents whose latest revision says nothing are absent. */
export async function latestDescriptions(tx: TenantTransaction): Promise<Map<string, string>> {
  const rows = await tx.query<{ agent_id: string; description: string }>(
    'select * from svc_list_latest_descriptions()',
  );
  return new Map(rows.map((row) => [row.agent_id, row.description]));
}
