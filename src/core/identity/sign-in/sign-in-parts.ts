import { hash, randomBytes } from 'node:crypto';
import { ClaimRefused } from '../../../domain/identity/claim-mapping.js';
import { IdTokenRefused } from '../../../domain/identity/id-token.js';
import { OidcError } from '../../../platform/oidc/oidc-error.js';
import type { OidcHttp } from '../../../platform/oidc/oidc-http.js';
import type { Sealer } from '../../../platform/seal/sealer.js';
import type { Logger } from '../../../platform/telemetry/logger.js';
import type { Database } from '../../record/database.js';
import type { SessionWindows } from '../web-sessions.js';
import type { KeptProviders } from './kept-providers.js';

/** Failures that say all that a log needs. */
const REFUSALS = [OidcError, IdTokenRefused, ClaimRefused];

/** What signing in needs. */
export interface SignInParts {
  database: Database;
  sealer: Sealer;
  http: OidcHttp;
  providers: KeptProviders;
  /** Where people reach this deployment, without a slash at its end. */
  origin: string;
  /** The organization whose key seals what travels through browsers (docs/design/sealing.md). */
  deployment: string;
  windows: SessionWindows;
  /** By how many seconds a provider's clock may differ. */
  skewSecs: number;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
}

/** The one address to which every provider sends people back (CP-280). */
export function callbackAddress(origin: string): string {
  return `${origin}/v1/auth/callback`;
}

/** SHA-256 in hex: the form in which cookies are stored. */
export function digestOf(text: string): string {
  return hash('sha256', text, 'hex');
}

/** 43 characters of 32 random bytes. */
export function randomSecret(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * What a log may say of a failure. Causes of the library hold claims and answers of providers, so only its code is repeated; a defect
 * of ours is told whole.
 */
export function factsOf(failure: unknown): object {
  const isRefusal = REFUSALS.some((kind) => failure instanceof kind);
  if (!isRefusal || !(failure instanceof Error)) return { err: failure };
  const { code } = (failure.cause ?? {}) as { code?: unknown };
  return { why: failure.message, ...(typeof code === 'string' ? { code } : {}) };
}
