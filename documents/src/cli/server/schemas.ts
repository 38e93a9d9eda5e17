import type { components } from '../../client/schema.js';

/** What the API answers, by the names of its description. */
export type Schemas = components['schemas'];
