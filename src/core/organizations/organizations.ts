import { SandgateError } from '../../domain/errors.js';
import type { Database, TenantTransaction } from '../record/database.js';
import { findRow, queryRows } from '../record/query-row.js';
import { newRowId } from '../../platform/postgres/row-id.js';
import { insertUnlessThere } from '../../platform/postgres/write-rows.js';
import { OrganizationEntity } from './organization.entity.js';
import { seedFixer, type FixerHarness } from './seed-agent.js';
import { seedPolicies } from './seed-policies.js';

export type Organization = Readonly<OrganizationEntity>;

const SLUG = /^[a-z0-9][a-z0-9-]{0,62}$/;
const MAX_DISPLAY_NAME = 200;

export function isSlug(text: string): boolean {
  return SLUG.test(text);
}

export function findOrganization({ pool }: Pick<Database, 'pool'>, slug: string): Promise<Organization | null> {
  return findRow<Organization>(pool, { text: 'select * from svc_find_organization($1)', values: [slug] });
}

type Within = (tx: TenantTransaction) => Promise<void>;

/** The organizations of this deployment: one use case per method. */
export class Organizations {
  constructor(
    private readonly db: Database,
    private readonly fixer: FixerHarness,
    /** Told what is wrong with existing rows, in sentences for the boot log. */
    private readonly warn: (message: string) => void = () => undefined,
  ) {}

  /**
   * Makes an organization with its seeded policies and agent.
   *
   * @param within what else belongs into the transaction
   * @throws SandgateError `invalid_request` for a malformed slug or display name, `conflict` when the slug is taken
   */
  async create(slug: string, displayName: string | null, within?: Within): Promise<Organization> {
    const made = await this.insert(slug, displayName, within);
    if (made === null) throw new SandgateError('conflict', `slug: an organization ${slug} exists already`);
    return made;
  }

  /** The organization of that slug, made if it is missing; what is seeded and absent is added. Processes that boot together agree on one. */
  async ensure(slug: string): Promise<Organization> {
    const before = await this.find(slug);
    const made = before === null ? await this.insert(slug, null) : null;
    if (made !== null) return made;
    const found = before ?? (await this.get(slug));
    await this.seed(found.id);
    return found;
  }

  /** @throws SandgateError `not_found` */
  async get(slug: string): Promise<Organization> {
    const found = await this.find(slug);
    if (found === null) throw new SandgateError('not_found', `no organization ${slug}`);
    return found;
  }

  async find(slug: string): Promise<Organization | null> {
    return findOrganization(this.db, slug);
  }

  /** Oldest first, those after the one of that id. */
  async list({ after, limit }: { after: string | null; limit: number }): Promise<Organization[]> {
    const values = [after, limit];
    return queryRows<Organization>(this.db.pool, { text: 'select * from svc_list_organizations($1, $2)', values });
  }

  /** Null when the slug is taken. */
  private async insert(slug: string, displayName: string | null, within?: Within): Promise<Organization | null> {
    if (!isSlug(slug)) {
      throw new SandgateError('invalid_request', 'slug: 1 to 63 of a-z, 0-9 and -, not beginning with -');
    }
    checkDisplayName(displayName);
    const id = newRowId();
    return this.db.withTenant(id, async (tx) => {
      const made = await insertUnlessThere(tx, OrganizationEntity, {
        id,
        slug,
        name: slug,
        display_name: displayName,
      });
      if (made === null) return null;
      await this.seedWithin(tx);
      await within?.(tx);
      return made;
    });
  }

  private async seed(organizationId: string): Promise<void> {
    await this.db.withTenant(organizationId, (tx) => this.seedWithin(tx));
  }

  private async seedWithin(tx: TenantTransaction): Promise<void> {
    for (const warning of await seedPolicies(tx)) this.warn(warning);
    await seedFixer(tx, this.fixer);
  }
}

/** @throws SandgateError `invalid_request` */
export function checkDisplayName(displayName: string | null): void {
  if (displayName !== null && (displayName.trim() === '' || displayName.length > MAX_DISPLAY_NAME)) {
    throw new SandgateError('invalid_request', `display_name: 1 to ${MAX_DISPLAY_NAME} characters`);
  }
}
