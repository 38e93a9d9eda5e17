import { isUuid } from '../../domain/uuid.js';
import type { TenantTransaction } from '../../platform/db/database.js';
import { isStorableText } from '../../platform/db/storable-text.js';
import { AgentEntity, AgentRevisionEntity } from './agent.entity.js';

/** The organization's agent of that id or name, or null. */
export async function findAgent(tx: TenantTransaction, idOrName: string): Promise<AgentEntity | null> {
  if (!isStorableText(idOrName)) return null;
  return tx.manager.findOneBy(AgentEntity, isUuid(idOrName) ? { id: idOrName } : { name: idOrName });
}

/** The revision with the highest number. An agent without one is a defect. */
export async function latestRevision(tx: TenantTransaction, agent: AgentEntity): Promise<AgentRevisionEntity> {
  return tx.manager.findOneOrFail(AgentRevisionEntity, { where: { agent_id: agent.id }, order: { rev: 'DESC' } });
}
