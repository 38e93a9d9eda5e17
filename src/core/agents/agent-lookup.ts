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

/** By agent, what its latest revision says of it; agents whose latest revision says nothing are absent. */
export async function latestDescriptions(tx: TenantTransaction): Promise<Map<string, string>> {
  const rows = await tx.query<{ agent_id: string; description: string }>(
    `select a.id as agent_id, r.description
       from agents a cross join lateral (
         select description from agent_revisions where agent_id = a.id order by rev desc limit 1) r
      where r.description is not null`,
  );
  return new Map(rows.map((row) => [row.agent_id, row.description]));
}
