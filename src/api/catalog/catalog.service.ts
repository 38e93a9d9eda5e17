import { Injectable } from '@nestjs/common';
import { parseConnector } from '../../domain/catalog/parse-connector.js';

import { SandgateError } from '../../domain/errors.js';
import { Database } from '../../core/record/database.js';
import { GuardedClient } from '../../platform/egress/guarded-client.js';
import { userIdOf, type Principal } from '../auth/principal.js';
import { notFound } from '../../domain/resource-id.js';
import { findConnector, insertCustom, listConnectors } from '../../core/catalog/connector-queries.js';
import { toCatalogEntry, toConnector, type CatalogEntry, type CatalogList, type Connector } from './catalog.dto.js';

/** Connector definitions: those of the deployment and the organization's own, which shadow them (docs/design/connections.md). */
@Injectable()
export class CatalogService {
  constructor(
    private readonly database: Database,
    private readonly egress: GuardedClient,
  ) {}

  list(principal: Principal): Promise<CatalogList> {
    return this.database.withTenant(principal.organizationId, async (tx) => ({
      connectors: (await listConnectors(tx, userIdOf(principal))).map((row) => toCatalogEntry(row)),
    }));
  }

  /** @throws SandgateError `not_found` */
  read(principal: Principal, slug: string): Promise<CatalogEntry> {
    return this.database.withTenant(principal.organizationId, async (tx) => {
      const row = await findConnector(tx, slug, userIdOf(principal));
      if (row === null) throw notFound('connector');
      return toCatalogEntry(row);
    });
  }

  /** Adds an entry of the organization. @throws SandgateError `invalid_request`, `conflict` */
  add({ organizationId }: Principal, body: object): Promise<Connector> {
    const definition = parseConnector({ ...body });
    const refused = definition.url === null ? null : this.egress.admitUrl(definition.url);
    if (refused !== null) throw new SandgateError('invalid_request', `url rejected: ${refused}`);
    return this.database.withTenant(organizationId, async (tx) => toConnector(await insertCustom(tx, definition)));
  }
}
