/** Grace for the requests and activities of API and worker at a stop, in milliseconds; the rest of two seconds is for the stores. */
export const SERVICES_GRACE_MS = 1100;

/** Grace for PostgreSQL and Temporal; both keep what was written when they are killed after it. */
export const STORES_GRACE_MS = 700;

/** How long a service may take for an orderly end after its supervisor was killed. */
export const ORPHAN_GRACE_MS = 800;
