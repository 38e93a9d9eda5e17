import { describe, it } from '@jest/globals';

/**
 * Whether this is the nightly campaign (build/run-nightly.mjs). `npm test` takes a share of what a container engine, a code host or
 * programs of other versions are for, and of requests by the thousand that differ little; the campaign takes all of it.
 */
export const IS_NIGHTLY = process.env['TEST_NIGHTLY'] === '1';

export const itNightly = IS_NIGHTLY ? it : it.skip;
export const describeNightly = IS_NIGHTLY ? describe : describe.skip;
