import { applyDecorators, SetMetadata } from '@nestjs/common';
import type { ErrorCode } from '../../domain/errors.js';

/** What a caller may be allowed to do on the public plane; role-permissions.ts says who holds which (docs/roles.md). */
export const PERMISSIONS = [
  'account.read',
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
  'org.manage',
  'org.read',
  'policies.read',
  'policies.write',
  'sessions.cancel',
  'sessions.create',
  'sessions.read',
  'tokens.read',
  'tokens.write',
  'triggers.read',
  'triggers.write',
] as const;

export type PermissionName = (typeof PERMISSIONS)[number];

export const PERMISSION_METADATA = 'sandgate:permission';
export const BROWSER_SESSION_METADATA = 'sandgate:browser-session';
export const OPERATOR_PLANE_METADATA = 'sandgate:operator-plane';
export const TRIGGER_TOKEN_METADATA = 'sandgate:trigger-token';
export const PUBLIC_METADATA = 'sandgate:public';

/** How a caller is refused who did not come by a browser session. */
export type BrowserRefusal = Extract<ErrorCode, 'forbidden' | 'invalid_request'>;

/** The permission that a caller of this route needs. Every route carries this or one of the others below. */
export const Permission = (permission: PermissionName): MethodDecorator & ClassDecorator =>
  SetMetadata(PERMISSION_METADATA, permission);

/** A route for people in their browser: neither a token of theirs nor the operator may use it. */
export const BrowserSession = (
  permission: PermissionName,
  refusal: BrowserRefusal = 'forbidden',
): MethodDecorator & ClassDecorator =>
  applyDecorators(Permission(permission), SetMetadata(BROWSER_SESSION_METADATA, refusal));

/** A route, or a controller, of the operator: the admin token opens it in every mode, and nothing else does (CP-048). */
export const OperatorPlane = (): MethodDecorator & ClassDecorator => SetMetadata(OPERATOR_PLANE_METADATA, true);

/** A route of one trigger, the path's `id`, that its own token opens and nothing else does (CP-276). */
export const TriggerToken = (): MethodDecorator => SetMetadata(TRIGGER_TOKEN_METADATA, true);

/** A route (or a controller whose own guard authenticates) that the public plane's guard lets through, and why. */
export const Public = (reason: string): MethodDecorator & ClassDecorator => SetMetadata(PUBLIC_METADATA, reason);
