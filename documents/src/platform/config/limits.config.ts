import { integer } from '../../../../src/platform/config/readers.js';
import { setting } from '../../../../src/platform/config/setting.js';

/** How often one client may ask. */
export class RateConfig {
  @setting({
    variable: 'DOCSVC_RATE_REQUESTS_PER_MIN',
    read: integer(1, 1_000_000),
    default: 600,
    about: 'Requests of one client in a minute; beyond it 429. Parts of uploads do not count.',
  })
  readonly requestsPerMin!: number;

  @setting({
    variable: 'DOCSVC_RATE_SEARCHES_PER_MIN',
    read: integer(1, 1_000_000),
    default: 120,
    about: 'Searches of one client in a minute; beyond it 429.',
  })
  readonly searchesPerMin!: number;

  @setting({
    variable: 'DOCSVC_RATE_GENERATIONS_PER_MIN',
    read: integer(1, 1_000_000),
    default: 20,
    about: 'Schemas that one client has made from words or sheets in a minute; beyond it 429.',
  })
  readonly generationsPerMin!: number;

  @setting({
    variable: 'DOCSVC_RATE_EXTRACTIONS_PER_MIN',
    read: integer(1, 1_000_000),
    default: 60,
    about:
      'Runs of extraction that one client may start in a minute; beyond it 429. A request whose externalId is known starts none.',
  })
  readonly extractionsPerMin!: number;
}

/** What one organization may hold. From 80 % on, answers of `GET /api/me` and the log warn. */
export class QuotaConfig {
  @setting({
    variable: 'DOCSVC_QUOTA_STORAGE_BYTES',
    read: integer(0),
    default: 10_000_000_000_000,
    about: 'Bytes that one organization may store.',
  })
  readonly storageBytes!: number;

  @setting({
    variable: 'DOCSVC_QUOTA_DOCUMENTS',
    read: integer(0),
    default: 1_000_000,
    about: 'Documents of one organization.',
  })
  readonly documents!: number;

  @setting({
    variable: 'DOCSVC_QUOTA_PAGES_PER_MONTH',
    read: integer(0),
    default: 5_000_000,
    about: 'Pages that are read for one organization in a calendar month (UTC).',
  })
  readonly pagesPerMonth!: number;

  @setting({
    variable: 'DOCSVC_QUOTA_OPEN_UPLOADS',
    read: integer(0, 1_000_000),
    default: 200,
    about: 'Uploads of one organization that are open at once.',
  })
  readonly openUploads!: number;

  @setting({
    variable: 'DOCSVC_QUOTA_WEBHOOKS_PER_PROJECT',
    read: integer(0, 10_000),
    default: 20,
    about: 'Webhooks of one project.',
  })
  readonly webhooksPerProject!: number;

  @setting({
    variable: 'DOCSVC_QUOTA_SCHEMAS_PER_PROJECT',
    read: integer(0, 100_000),
    default: 500,
    about: 'Schemas of one project that are not archived.',
  })
  readonly schemasPerProject!: number;

  @setting({
    variable: 'DOCSVC_QUOTA_RUNNING_EXTRACTIONS',
    read: integer(0, 100_000),
    default: 50,
    about: 'Runs of extraction of one organization that are under way at once.',
  })
  readonly runningExtractions!: number;
}
