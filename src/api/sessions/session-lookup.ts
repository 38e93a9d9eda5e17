import { In } from 'typeorm';
import type { TenantTransaction } from '../../core/record/database.js';
import { notFound } from '../../domain/resource-id.js';
import { SessionEntity, SessionHeadEntity } from '../../core/runs/session.entity.js';
import { toSessionView } from './session-view.js';
import type { SessionView } from './sessions.dto.js';

/** The organization's run. @throws SandgateError `not_found`, also for another organization's run. */
export async function requireSession(tx: TenantTransaction, id: string): Promise<SessionEntity> {
  const session = await tx.manager.findOneBy(SessionEntity, { id });
  if (session === null) throw notFound('run');
  return session;
}

/** Cheaper than {@link requireSession} for routes that only need to know that the run is there. */
export async function requireSessionExists(tx: TenantTransaction, id: string): Promise<void> {
  if (!(await tx.manager.existsBy(SessionEntity, { id }))) throw notFound('run');
}

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
