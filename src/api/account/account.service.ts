import { Injectable } from '@nestjs/common';
import { auditStep, type AuditActor } from '../../core/identity/audit-log.js';
import { providerSignOut } from '../../core/identity/sign-in/sign-out.js';
import { UserEntity } from '../../core/identity/user.entity.js';
import { revokeWebSession } from '../../core/identity/web-sessions.js';
import { OrganizationEntity } from '../../core/organizations/organization.entity.js';
import { Database } from '../../core/record/database.js';
import { Sealer } from '../../platform/seal/sealer.js';
import type { BrowserPrincipal, Principal } from '../auth/principal.js';
import type { OperatorAccount, UserAccount } from './account.dto.js';

@Injectable()
export class AccountService {
  constructor(
    private readonly database: Database,
    private readonly sealer: Sealer,
  ) {}

  async read(principal: Principal): Promise<OperatorAccount | UserAccount> {
    if (principal.kind === 'operator') return { operator: true };
    const { organizationId, userId, roles, authKind } = principal;
    return this.database.withTenant(organizationId, async ({ manager }) => {
      const { slug, display_name } = await manager.findOneByOrFail(OrganizationEntity, { id: organizationId });
      const { email, name } = await manager.findOneByOrFail(UserEntity, { id: userId });
      return {
        user_id: userId,
        org: { slug, display_name: display_name ?? slug },
        user: { ...(email === null ? {} : { email }), ...(name === null ? {} : { name }) },
        roles: [...roles],
        auth_kind: authKind,
      };
    });
  }

  /**
   * Ends the browser's session at once. One that somebody else ended meanwhile stays ended.
   *
   * @returns where the browser may go to sign out at the provider too; null where there is no such address
   */
  async logout(browser: BrowserPrincipal, actor: AuditActor): Promise<string | null> {
    const { organizationId, sessionId } = browser;
    await this.database.withTenant(organizationId, async (tx) => {
      if (await revokeWebSession(tx, sessionId)) {
        await auditStep(tx, { actor, action: 'session.logout', target: sessionId });
      }
    });
    return providerSignOut({ database: this.database, sealer: this.sealer }, browser);
  }
}
