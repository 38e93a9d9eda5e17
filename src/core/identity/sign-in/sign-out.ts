import { SandgateError } from '../../../domain/errors.js';
import { endSessionAddress } from '../../../platform/oidc/code-exchange.js';
import { OidcError } from '../../../platform/oidc/oidc-error.js';
import { readProvider } from '../../../platform/oidc/provider.js';
import type { Sealer } from '../../../platform/seal/sealer.js';
import type { Database } from '../../record/database.js';
import { IdpConfigEntity } from '../idp-config.entity.js';
import { WebSessionEntity } from '../web-session.entity.js';
import { placeOfIdToken } from './verified-login.js';

/** The session whose person signs out. */
interface EndedSession {
  organizationId: string;
  sessionId: string;
}

/**
 * Where the browser of a session goes to sign out at the provider too (OpenID Connect RP-Initiated Logout). The session may be
 * revoked by then.
 *
 * @returns null where the provider offers no such address
 */
export async function providerSignOut(
  { database, sealer }: { database: Database; sealer: Sealer },
  { organizationId, sessionId }: EndedSession,
): Promise<string | null> {
  const found = await database.withTenant(organizationId, async (tx) => {
    const session = await tx.manager.findOne(WebSessionEntity, {
      where: { tenant_id: organizationId, id: sessionId },
      select: { id: true, idp_config_id: true, id_token_sealed: true, id_token_key_version: true },
    });
    if (session === null) return null;
    const config = await tx.manager.findOneBy(IdpConfigEntity, {
      tenant_id: organizationId,
      id: session.idp_config_id,
    });
    return config === null ? null : { session, config };
  });
  if (found === null || found.config.discovered_metadata === null) return null;
  const { session, config } = found;
  try {
    const provider = readProvider(found.config.discovered_metadata, config.issuer);
    const idToken = await openIdToken(sealer, organizationId, session);
    return endSessionAddress({ provider, clientId: config.client_id }, idToken);
  } catch (cause) {
    // The session here is over whatever is kept of the provider, and whether its token still opens.
    if (cause instanceof OidcError || cause instanceof SandgateError) return null;
    throw cause;
  }
}

async function openIdToken(sealer: Sealer, organizationId: string, session: WebSessionEntity): Promise<string | null> {
  const { id, id_token_sealed: sealed, id_token_key_version: version } = session;
  if (sealed === null) return null;
  return (await sealer.open(placeOfIdToken(organizationId, id), sealed, version)).toString();
}
