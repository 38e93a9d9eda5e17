import { Injectable } from '@nestjs/common';
import { ArrayContainedBy, type FindOptionsWhere } from 'typeorm';
import { newRowId } from '../../../../src/platform/postgres/row-id.js';
import { CLOCK, insertRows, updateRow } from '../../../../src/platform/postgres/write-rows.js';
import { areListsWithin, areWithin, grantable, requireSuccessor } from '../../core/clients/client-rights.js';
import { OauthClientEntity } from '../../core/clients/oauth-client.entity.js';
import { newClientId, newClientSecret } from '../../core/access/secrets.js';
import { recordAudit } from '../../core/audit/record-audit.js';
import { newestPage } from '../../core/record/newest-page.js';
import { Record, type RecordTransaction } from '../../core/record/record.js';
import { DocsvcError, invalidMember } from '../../domain/errors.js';
import { normalizeName } from '../../domain/names/normalize-name.js';
import { ApiConfig } from '../foundation/foundation.module.js';
import type { Caller } from '../http/caller.decorator.js';
import { versionConflict } from '../http/etag.js';
import { answerPage, openPage, type Page, type PageQuery } from '../http/page.js';
import { viewClient, type ClientView, type ClientWithSecret, type NewClient } from './clients.dto.js';

const LIST = 'clients';
/** While a new secret replaces an old one, both are good. */
const LIVE_SECRETS = 2;

/** Clients of an organization: each with rights of its own (DI-060). */
@Injectable()
export class ClientsService {
  constructor(
    private readonly record: Record,
    private readonly config: ApiConfig,
  ) {}

  list(caller: Caller, query: PageQuery): Promise<Page<ClientView>> {
    requireSealKey(this.config);
    const asked = openPage(caller, LIST, query);
    return this.record.inOrganization(caller.orgId, async (tx) =>
      answerPage(caller, LIST, await newestPage(tx, OauthClientEntity, reachedBy(caller), asked), viewClient),
    );
  }

  /** @throws DocsvcError `forbidden` for more rights than the caller has */
  create(caller: Caller, { name, scopes, workspaceIds, projectIds, expiresAt }: NewClient): Promise<ClientWithSecret> {
    requireSealKey(this.config);
    const secret = newClientSecret();
    const expiry = expiresAt === undefined || expiresAt === null ? null : readExpiry(expiresAt);
    return this.record.inOrganization(caller.orgId, async (tx) => {
      const asked = { scopes, workspaceIds: workspaceIds ?? null, projectIds: projectIds ?? null };
      const rights = await grantable(tx, caller, asked);
      const id = newRowId();
      await insertRows(tx, OauthClientEntity, [
        {
          id,
          org_id: caller.orgId,
          client_id: newClientId(),
          name: normalizeName(name),
          secret_hashes: [secret.hash],
          scopes: rights.scopes,
          workspace_ids: rights.workspaceIds,
          project_ids: rights.projectIds,
          expires_at: expiry,
        },
      ]);
      await recordAudit(tx, caller, { ...audited('client.created', id), detail: { scopes: rights.scopes } });
      return { ...viewClient(await this.find(tx, id)), clientSecret: secret.text };
    });
  }

  /** Adds a secret; the one before stays good until the next rotation, and older ones end now. */
  rotate(caller: Caller, id: string): Promise<ClientWithSecret> {
    requireSealKey(this.config);
    const secret = newClientSecret();
    return this.record.inOrganization(caller.orgId, async (tx) => {
      const { row_version: version } = await this.requireManaged(tx, caller, id);
      const { secret_hashes: hashes } = await tx.manager.findOneOrFail(OauthClientEntity, {
        select: { id: true, secret_hashes: true },
        where: { id },
      });
      const row = await updateRow(
        tx,
        OauthClientEntity,
        { id, row_version: version },
        {
          secret_hashes: [...hashes, secret.hash].slice(-LIVE_SECRETS),
          row_version: version + 1,
          updated_at: CLOCK,
        },
      );
      if (row === null) throw versionConflict();
      await recordAudit(tx, caller, audited('client.rotated', id));
      return { ...viewClient(row), clientSecret: secret.text };
    });
  }

  /** Its tokens end with it. @throws DocsvcError `conflict` for the last one that can make others */
  revoke(caller: Caller, id: string): Promise<void> {
    requireSealKey(this.config);
    return this.record.inOrganization(caller.orgId, async (tx) => {
      const { row_version: version } = await this.requireManaged(tx, caller, id);
      await requireSuccessor(tx, id);
      const values = { revoked_at: CLOCK, secret_hashes: [], row_version: version + 1, updated_at: CLOCK };
      if ((await updateRow(tx, OauthClientEntity, { id, row_version: version }, values)) === null)
        throw versionConflict();
      await recordAudit(tx, caller, audited('client.revoked', id));
    });
  }

  /**
   * @throws DocsvcError `not_found` for a client of workspaces or projects that the caller does not reach, `forbidden` for one with more
   *   scopes: its new secret would give the caller these
   */
  private async requireManaged(tx: RecordTransaction, caller: Caller, id: string): Promise<OauthClientEntity> {
    const client = await this.find(tx, id);
    if (client.revoked_at !== null) throw new DocsvcError('not_found', 'no such client: it is revoked');
    const { scopes, workspace_ids: workspaceIds, project_ids: projectIds } = client;
    const rights = { scopes, workspaceIds, projectIds };
    if (!areListsWithin(rights, caller)) throw new DocsvcError('not_found', 'no such client');
    if (areWithin(rights, caller)) return client;
    throw new DocsvcError('forbidden', 'this client may do more than the credential that asks, which cannot change it');
  }

  private async find(tx: RecordTransaction, id: string): Promise<OauthClientEntity> {
    const client = await tx.manager.findOneBy(OauthClientEntity, { id });
    if (client === null) throw new DocsvcError('not_found', 'no such client');
    return client;
  }
}

/** A credential for certain workspaces or projects knows of the clients of these alone. */
function reachedBy({ workspaceIds, projectIds }: Caller): FindOptionsWhere<OauthClientEntity> {
  return {
    ...(workspaceIds === null ? {} : { workspace_ids: ArrayContainedBy([...workspaceIds]) }),
    ...(projectIds === null ? {} : { project_ids: ArrayContainedBy([...projectIds]) }),
  };
}

/** Answers that hold a secret are kept sealed for their idempotency keys. */
function requireSealKey({ seal }: ApiConfig): void {
  if (seal.key !== null) return;
  throw new DocsvcError(
    'unavailable',
    'clients and webhooks need DOCSVC_SEAL_KEY, which this deployment does not have',
  );
}

function readExpiry(text: string): Date {
  const expiry = new Date(text);
  if (expiry.getTime() > Date.now()) return expiry;
  throw invalidMember('expiresAt', 'must be a time in the future');
}

function audited(action: string, subjectId: string) {
  return { action, subjectKind: 'client', subjectId };
}
