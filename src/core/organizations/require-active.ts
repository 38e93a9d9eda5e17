import { SandgateError } from '../../domain/errors.js';
import type { TenantTransaction } from '../record/database.js';
import { OrganizationEntity } from './organization.entity.js';

const SUSPENDED = 'the organization is suspended: it starts no runs until the operator resumes it';

/** @throws SandgateError `forbidden` in a suspended organization */
export async function requireActiveOrganization(tx: TenantTransaction): Promise<void> {
  const active = { id: tx.organizationId, status: 'active' } as const;
  if (!(await tx.manager.existsBy(OrganizationEntity, active))) throw new SandgateError('forbidden', SUSPENDED);
}

/** Whether that is why something did not start. */
export function isSuspension(cause: unknown): boolean {
  return cause instanceof SandgateError && cause.message === SUSPENDED;
}
