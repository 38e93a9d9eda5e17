import { Injectable } from '@nestjs/common';
import { parseBundle } from '../../domain/capabilities/parse-bundle.js';
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
  type CreateCapability,
} from './capabilities.dto.js';
import { CapabilityBundleEntity } from '../../core/capabilities/capability-bundle.entity.js';
import { appendBundle, findBundle, listBundles } from '../../core/capabilities/capability-queries.js';

const INT32_MAX = 2_147_483_647;

/** Publishes and reads capability bundles, whose versions are append-only (docs/design/tools.md). */
@Injectable()
export class CapabilitiesService {
  constructor(private readonly database: Database) {}

  /** Appends the next version, also for content that is already there. @throws SandgateError `invalid_request` */
  create(organizationId: string, input: CreateCapability): Promise<CapabilityAnswer> {
    const draft = parseBundle({ ...input } as unknown as JsonObject);
    return this.database.withTenant(organizationId, async (tx) => toCapabilityAnswer(await appendBundle(tx, draft)));
  }

  list(organizationId: string, limit: number): Promise<CapabilityList> {
    return this.database.withTenant(organizationId, async (tx) => {
      const rows = await listBundles(tx, limit);
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

  /** `version` is text from the path; anything but a positive int32 is not found. */
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
