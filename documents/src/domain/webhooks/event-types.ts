/** What webhooks can hear of. */
export const EVENT_TYPES = [
  'document.uploaded',
  'document.version_created',
  'document.ready',
  'document.partial',
  'document.failed',
  'document.deleted',
  'schema.version_created',
  'extraction.started',
  'extraction.completed',
  'extraction.partial',
  'extraction.failed',
  'extraction.cancelled',
] as const;

/** Sent by `POST /api/webhooks/{id}/test` alone, to that webhook whatever it listens to. */
export const TEST_EVENT = 'webhook.test';

/** Every event of the project, those of later releases too. */
export const ALL_EVENTS = '*';

/** What a webhook may ask for. */
export const ASKABLE_EVENTS = [ALL_EVENTS, ...EVENT_TYPES] as const;
