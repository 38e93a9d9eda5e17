import { describe, expect, it } from '@jest/globals';
import { loadConfig } from '../../platform/config/index.js';
import { HarnessAvailability } from './harness-availability.js';

const noRows = () => Promise.reject(new Error('nothing is asked of the record'));
const builtin = { id: 'builtin' } as const;

describe('whether runs of a harness can be created', () => {
  it('is refused without a model provider by a process that would hold its key', async () => {
    const here = new HarnessAvailability(loadConfig({}));
    expect(await here.whyNot(builtin, 'claude-haiku-4-5', noRows)).toMatch(/no model provider.*ANTHROPIC_API_KEY/);
  });

  it('is not refused for that by a process that is never given the keys', async () => {
    const worker = new HarnessAvailability(loadConfig({}), 'elsewhere');
    expect(await worker.whyNot(builtin, 'claude-haiku-4-5', noRows)).toBeNull();
  });
});
