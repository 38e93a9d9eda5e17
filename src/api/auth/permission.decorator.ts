import { SetMetadata } from '@nestjs/common';

/**
 * What a caller may be allowed to do on the public plane. The operator of a single-admin deployment holds all of them;
 * roles map onto them when users exist (docs/design/identity.md).
 */
export const PERMISSIONS = [
  'agents.read',
  'agents.write',
  'approvals.decide',
  'approvals.read',
  'audit.export',
  'capabilities.read',
  'capabilities.write',
  'catalog.read',
  'catalog.write',
  'codehost.read',
  'codehost.write',
  'connections.read',
  'connections.write',
  'deliveries.resend',
  'harnesses.read',
  'metrics.read',
  'policies.read',
  'policies.write',
  'sessions.cancel',
  'sessions.create',
  'sessions.read',
  'triggers.read',
  'triggers.write',
] as const;

export type PermissionName = (typeof PERMISSIONS)[number];

export const PERMISSION_METADATA = 'sandgate:permission';
export const PUBLIC_METADATA = 'sandgate:public';

/** The permission that a caller of this route needs. Every route carries this or {@link Public}. */
export const Permission = (permission: PermissionName): MethodDecorator & ClassDecorator =>
  SetMetadata(PERMISSION_METADATA, permission);

export const TRIGGER_TOKEN_METADATA = 'sandgate:trigger-token';

/** A route of one trigger, the path's `id`, that its own token opens and nothing else does (CP-276). */
export const TriggerToken = (): MethodDecorator => SetMetadata(TRIGGER_TOKEN_METADATA, true);

/** A route (or a controller whose own guard authenticates) that the public plane's guard lets through, and why. */
export const Public = (reason: string): MethodDecorator & ClassDecorator => SetMetadata(PUBLIC_METADATA, reason);
