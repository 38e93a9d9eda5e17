import { Injectable } from '@nestjs/common';
import type { AuditActor } from '../../core/identity/audit-log.js';
import { listPersonalTokens, mintPersonalToken, revokePersonalToken } from '../../core/identity/personal-tokens.js';
import { Database } from '../../core/record/database.js';
import { notFound } from '../../domain/resource-id.js';
import type { UserPrincipal } from '../auth/principal.js';
import { toTokenView, type MintedToken, type MintToken, type RevokedCredential, type TokenList } from './tokens.dto.js';

@Injectable()
export class TokensService {
  constructor(private readonly database: Database) {}

  async mint(user: UserPrincipal, { name, expires_in }: MintToken, actor: AuditActor): Promise<MintedToken> {
    const { organizationId, userId, membershipId } = user;
    const wanted = { userId, membershipId, name, expiresInSecs: expires_in };
    const { token, pat } = await this.database.withTenant(organizationId, (tx) => mintPersonalToken(tx, actor, wanted));
    return { token, pat: toTokenView(pat) };
  }

  async list({ organizationId, userId }: UserPrincipal): Promise<TokenList> {
    const rows = await this.database.withTenant(organizationId, (tx) => listPersonalTokens(tx, userId));
    return { tokens: rows.map(toTokenView) };
  }

  /** @throws SandgateError `not_found` for a token that is somebody else's, unknown or revoked already */
  async revoke({ organizationId, userId }: UserPrincipal, id: string, actor: AuditActor): Promise<RevokedCredential> {
    const revoked = await this.database.withTenant(organizationId, (tx) =>
      revokePersonalToken(tx, actor, { id, userId }),
    );
    if (!revoked) throw notFound('token');
    return { revoked: true, id };
  }
}
