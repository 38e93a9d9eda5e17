import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { definitionDigest } from '../../domain/capabilities/bundle.js';
import { parseBundle, type BundleDraft } from '../../domain/capabilities/parse-bundle.js';
import type { JsonObject } from '../../domain/json.js';
import { isUuid } from '../../domain/uuid.js';
import { Database } from '../../core/record/database.js';
import type { TenantTransaction } from '../../core/record/database.js';
import { notFound } from '../../domain/resource-id.js';
import {
  toCapabilityAnswer,
  toListEntry,
  type CapabilityAnswer,
  type CapabilityList,
  type CapabilityListRow,
  type CreateCapability,
} from './capabilities.dto.js';
import { CapabilityBundleEntity } from '../../core/capabilities/capability-bundle.entity.js';
import { findBundle } from '../../core/capabilities/capability-queries.js';

const INT32_MAX = 2_147_483_647;

/** Publishes and reads capability bundles, whose versions are append-only (chapter 30 §10). */
@Injectable()
export class CapabilitiesService {
  constructor(private readonly database: Database) {}

  /** Appends the next version, also for content that is already there. @throws SandgateError `invalid_request` */
  create(organizationId: string, input: CreateCapability): Promise<CapabilityAnswer> {
    const draft = parseBundle({ ...input } as unknown as JsonObject);
    return this.database.withTenant(organizationId, async (tx) => toCapabilityAnswer(await append(tx, draft)));
  }

  list(organizationId: string, limit: number): Promise<CapabilityList> {
    return this.database.withTenant(organizationId, async (tx) => {
      const rows = await tx.query<CapabilityListRow>(
        `select b.id, b.name, b.version, b.description, b.definition_digest, s.server_count, s.tool_count, s.classes, b.created_at
           from capability_bundles b,
                lateral (select count(*)::int as server_count,
                                coalesce(sum(jsonb_array_length(server -> 'tools')), 0)::int as tool_count,
                                coalesce(json_agg(distinct server ->> 'class'), '[]') as classes
                           from jsonb_array_elements(b.definition -> 'servers') server) s
          order by b.name, b.version desc limit $1`,
        [limit],
      );
      return { bundles: rows.map(toListEntry) };
    });
  }

  /** `key` is an id, a name (its newest version) or `name@N`. */
  read(organizationId: string, key: string): Promise<CapabilityAnswer> {
    const at = key.indexOf('@');
    if (at > 0) return this.readVersion(organizationId, key.slice(0, at), key.slice(at + 1));
    return this.readOne(organizationId, (tx) =>
      isUuid(key)
        ? tx.manager.findOneBy(CapabilityBundleEntity, { id: key.toLowerCase() })
        : findBundle(tx, { name: key, version: null }),
    );
  }

  /** `version` is the path's text; one that is no positive int32 names no version. */
  readVersion(organizationId: string, name: string, version: string): Promise<CapabilityAnswer> {
    const number = /^[0-9]{1,10}$/.test(version) ? Number(version) : 0;
    if (number < 1 || number > INT32_MAX) throw notFound('bundle');
    return this.readOne(organizationId, (tx) => findBundle(tx, { name, version: number }));
  }

  private readOne(
    organizationId: string,
    find: (tx: TenantTransaction) => Promise<CapabilityBundleEntity | null>,
  ): Promise<CapabilityAnswer> {
    return this.database.withTenant(organizationId, async (tx) => {
      const bundle = await find(tx);
      if (bundle === null) throw notFound('bundle');
      return toCapabilityAnswer(bundle);
    });
  }
}

async function append(tx: TenantTransaction, draft: BundleDraft): Promise<CapabilityBundleEntity> {
  // Publishers of one name take turns, so that each number is given once.
  const lock = `capability:${tx.organizationId}:${draft.name}`;
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [lock]);
  const [bundle] = await tx.query<CapabilityBundleEntity>(
    `insert into capability_bundles (id, tenant_id, name, version, description, definition, definition_digest)
     select $1, $2, $3, coalesce(max(version), 0) + 1, $4, $5, $6 from capability_bundles where name = $3
     returning *`,
    [
      uuidv7(),
      tx.organizationId,
      draft.name,
      draft.description,
      JSON.stringify({ servers: draft.servers }),
      definitionDigest(draft.servers),
    ],
  );
  if (bundle === undefined) throw new Error('an insert of one row returned none');
  return bundle;
}
