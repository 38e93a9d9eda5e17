import { describe } from '@jest/globals';

/** Only root may have an engine of its own here. */
export const describeWithEngine = process.getuid?.() === 0 ? describe : describe.skip;
