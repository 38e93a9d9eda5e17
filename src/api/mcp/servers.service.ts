import { Injectable } from '@nestjs/common';
import { freeSlug, slugOf } from '../../domain/catalog/connector-slug.js';
import { parseConnector, parseConnectorUrl } from '../../domain/catalog/parse-connector.js';
import { SandgateError } from '../../domain/errors.js';
import type { JsonObject } from '../../domain/json.js';
import type { Viewer } from '../../core/connections/viewer.js';
import { Database } from '../../core/record/database.js';
import { GuardedClient } from '../../platform/egress/guarded-client.js';
import { toConnector } from '../catalog/catalog.dto.js';
import { ConnectConnectorService } from '../catalog/connect-connector.service.js';
import { deleteCustom, insertCustom, takenSlugs } from '../../core/catalog/connector-queries.js';
import type { ConnectorEntity } from '../../core/catalog/connector.entity.js';
import { resolveOwner } from '../connections/connection-owner.js';
import { validated, type Unvalidated } from '../http/validated.js';
import { AddServer, type AddedServer, type ProbedServer } from './mcp.dto.js';
import { probeServer } from './probe-server.js';

const FALLBACK_SLUG = 'mcp-server';
const MAX_RACES = 5;

/** Remote MCP servers that the catalog does not know yet (docs/design/connections.md). */
@Injectable()
export class McpServersService {
  constructor(
    private readonly database: Database,
    private readonly egress: GuardedClient,
    private readonly connecting: ConnectConnectorService,
  ) {}

  /** @throws SandgateError `invalid_request` for a text that is not an address; every other failure is part of the answer */
  probe(url: string): Promise<ProbedServer> {
    return probeServer(this.egress, parseConnectorUrl(url, 'url'), new AbortController().signal);
  }

  /** Adds an entry to the catalog and connects it; a failed attempt leaves no entry. @throws as connecting does */
  async add(viewer: Viewer, body: Unvalidated<AddServer>): Promise<AddedServer> {
    const owner = resolveOwner(viewer, validated(AddServer, body, 'owner').owner);
    const entry = await this.insert(viewer.organizationId, body);
    try {
      const { scopes: _, ...connect } = body;
      const connected = await this.connecting.connectAs(viewer, owner, entry, connect);
      return { ...connected, slug: entry.slug, connector: toConnector(entry) };
    } catch (error) {
      await this.database.withTenant(viewer.organizationId, (tx) => deleteCustom(tx, entry.id));
      throw error;
    }
  }

  /** Somebody else may take the slug between looking and inserting; then the next free one is tried. */
  private async insert(organizationId: string, body: Unvalidated<AddServer>, races = 0): Promise<ConnectorEntity> {
    const described = describe(body);
    const stem = slugOf(described.title, FALLBACK_SLUG);
    const taken = await this.database.withTenant(organizationId, (tx) => takenSlugs(tx, stem));
    const definition = parseConnector({ ...described.members, slug: freeSlug(stem, (slug) => taken.has(slug)) });
    const refused = definition.url === null ? null : this.egress.admitUrl(definition.url);
    if (refused !== null) throw new SandgateError('invalid_request', `url rejected: ${refused}`);
    try {
      return await this.database.withTenant(organizationId, (tx) => insertCustom(tx, definition));
    } catch (error) {
      const isRace = error instanceof SandgateError && error.code === 'conflict';
      if (!isRace || races >= MAX_RACES) throw error;
      return this.insert(organizationId, body, races + 1);
    }
  }
}

/** The entry that the request describes, without its slug, and what the slug is made of. */
function describe(body: Unvalidated<AddServer>): { title: string; members: JsonObject } {
  const url = parseConnectorUrl(validated(AddServer, body, 'url').url, 'url');
  const host = new URL(url).host;
  const given = typeof body.name === 'string' && body.name.trim() !== '' ? body.name.trim() : null;
  const hints = { header_name: body.header_name ?? null, scheme: body.scheme ?? null };
  const members: JsonObject = {
    name: body.name ?? host,
    url,
    icon: body.icon ?? null,
    description: body.description ?? null,
    auth_mode: body.auth_mode ?? (body.token == null ? 'none' : 'api_key'),
    auth_hints: hints,
    scopes: body.scopes ?? null,
  };
  return { title: given ?? host, members };
}
