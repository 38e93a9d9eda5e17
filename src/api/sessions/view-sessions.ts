import { In } from 'typeorm';
import type { TenantTransaction } from '../../core/record/database.js';
import { SessionHeadEntity, type SessionEntity } from '../../core/runs/session.entity.js';
import { toSessionView } from './session-view.js';
import type { SessionView } from './sessions.dto.js';

/** The runs as clients see them, in the given order. */
export async function viewSessions(tx: TenantTransaction, sessions: SessionEntity[]): Promise<SessionView[]> {
  if (sessions.length === 0) return [];
  const heads = await tx.manager.findBy(SessionHeadEntity, { session_id: In(sessions.map((session) => session.id)) });
  const byId = new Map(heads.map((head) => [head.session_id, head]));
  return sessions.map((session) => toSessionView(session, byId.get(session.id)));
}

export async function viewSession(tx: TenantTransaction, session: SessionEntity): Promise<SessionView> {
  const head = await tx.manager.findOneBy(SessionHeadEntity, { session_id: session.id });
  return toSessionView(session, head ?? undefined);
}
