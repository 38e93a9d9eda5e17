import { notFound } from '../../domain/resource-id.js';
import type { TenantTransaction } from '../record/database.js';
import { SessionEntity } from './session.entity.js';

/** Who looks at runs (docs/design/identity.md). */
export interface RunViewer {
  /** The user whose own runs alone are seen; null for a viewer who sees every run of the organization. */
  invokedBy: string | null;
}

/** What of a run's row makes it visible. */
function visibleTo({ invokedBy }: RunViewer): { invoked_by_user_id?: string } {
  return invokedBy === null ? {} : { invoked_by_user_id: invokedBy };
}

/**
 * The run, for a viewer who sees it.
 *
 * @throws SandgateError `not_found`, in the same words for a run of somebody else, of another organization, and none at all
 */
export async function requireVisibleRun(tx: TenantTransaction, viewer: RunViewer, id: string): Promise<SessionEntity> {
  const session = await tx.manager.findOneBy(SessionEntity, { id, ...visibleTo(viewer) });
  if (session === null) throw notFound('run');
  return session;
}

/** Cheaper than {@link requireVisibleRun} where nothing of the row is needed. @throws SandgateError `not_found` likewise */
export async function requireVisible(tx: TenantTransaction, viewer: RunViewer, id: string): Promise<void> {
  if (!(await isVisible(tx, viewer, id))) throw notFound('run');
}

export function isVisible(tx: TenantTransaction, viewer: RunViewer, id: string): Promise<boolean> {
  return tx.manager.existsBy(SessionEntity, { id, ...visibleTo(viewer) });
}
