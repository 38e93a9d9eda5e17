import { SandgateError } from '../../domain/errors.js';
import { appJwt, readAppKey } from './app-jwt.js';
import type { CodehostAccount, CodeHost, CodehostInstallation } from './code-host.js';
import { CodehostError } from './codehost-error.js';

/** What a caller enters to connect an installation of an app of their own (docs/design/connections.md). */
export interface AppCredentials {
  appId: string;
  installationId: string;
  /** PEM. */
  privateKey: string;
}

export interface ProvenInstallation extends CodehostInstallation {
  appSlug: string;
}

/**
 * Shows a personal token to the code host before anything is stored.
 *
 * @throws SandgateError `invalid_request` when the host rejects it, `upstream_failed` when the host cannot be asked
 */
export function proveToken(api: CodeHost, token: string): Promise<CodehostAccount> {
  return explained(() => api.currentUser(token), {
    401: 'token: the code host rejected this token',
    403: 'token: the code host forbids this token',
  });
}

/**
 * Proves by a token that its private key signs that an app exists and is installed where the caller says.
 *
 * @throws SandgateError `invalid_request` when it is not, `upstream_failed` when the host cannot be asked
 */
export async function proveInstallation(api: CodeHost, given: AppCredentials): Promise<ProvenInstallation> {
  const jwt = appJwt(given.appId, readAppKey(given.privateKey));
  const app = await explained(() => api.app(jwt), {
    401: 'private_key: the code host rejected this app_id with this key',
    403: 'private_key: the code host forbids this app',
    404: 'app_id: the code host knows no such app',
  });
  if (app.id !== given.appId)
    throw new SandgateError('invalid_request', `app_id: the key belongs to app ${app.id} (${app.slug})`);
  const installation = await explained(() => api.installation(jwt, given.installationId), {
    401: 'installation_id: the code host rejected this app',
    403: 'installation_id: the code host forbids this app to look at it',
    404: `installation_id: app ${app.slug} has no installation ${given.installationId}`,
  });
  if (installation.appId !== app.id || installation.id !== given.installationId) {
    throw new SandgateError('invalid_request', `installation_id: it is not an installation of app ${app.slug}`);
  }
  return { ...installation, appSlug: app.slug };
}

/** Turns an answer that says something about the caller's input into a refusal, and every other failure into one of the host. */
export async function explained<T>(ask: () => Promise<T>, reasons: Readonly<Record<number, string>>): Promise<T> {
  try {
    return await ask();
  } catch (cause) {
    if (!(cause instanceof CodehostError)) throw cause;
    const reason = cause.status === null ? undefined : reasons[cause.status];
    if (reason !== undefined) throw new SandgateError('invalid_request', reason, { cause });
    throw new SandgateError('upstream_failed', `${cause.message}; try again later`, { cause });
  }
}
