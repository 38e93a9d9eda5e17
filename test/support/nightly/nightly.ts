import { describe, it } from '@jest/globals';

/**
 * Whether this is the nightly campaign (build/run-nightly.mjs). `npm test` takes a share of what a container engine or programs of
 * other versions are for, and of requests by the thousand that differ little, and nothing of what a code host of others is for, which
 * would have to be built first; the campaign takes all of it.
 */
export const IS_NIGHTLY = process.env['TEST_NIGHTLY'] === '1';

export const itNightly = IS_NIGHTLY ? it : it.skip;
export const describeNightly = IS_NIGHTLY ? describe : describe.skip;
