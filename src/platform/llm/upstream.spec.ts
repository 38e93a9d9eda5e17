import { describe, expect, it } from '@jest/globals';
import { missingUpstream, providerStores } from './upstream.js';
import type { UpstreamSettings } from './upstream.js';

const NONE: UpstreamSettings = {
  anthropicUrl: 'https://api.anthropic.com',
  anthropicApiKey: null,
  openaiUrl: 'https://api.openai.com',
  openaiApiKey: null,
  upstreamUrl: null,
  upstreamKey: null,
};

describe('the model providers', () => {
  it('CP-062 are one for each dialect, and what is missing is named', () => {
    expect(missingUpstream(NONE, 'anthropic')).toContain('ANTHROPIC_API_KEY');
    expect(missingUpstream(NONE, 'openai-chat')).toContain('OPENAI_API_KEY');
    const direct = { ...NONE, openaiApiKey: 'k' };
    expect(missingUpstream(direct, 'openai-responses')).toBeNull();
    expect(missingUpstream(direct, 'anthropic')).toContain('ANTHROPIC_API_KEY');
  });

  it('CP-062 give way to one gateway for every dialect, which needs its key', () => {
    const gateway = { ...NONE, anthropicApiKey: 'k', upstreamUrl: 'http://litellm:4000' };
    expect(missingUpstream(gateway, 'anthropic')).toContain('SERVICE_LLM_UPSTREAM_KEY');
    expect(missingUpstream({ ...gateway, upstreamKey: 'k' }, 'openai-chat')).toBeNull();
  });

  it.each([
    ['https://api.openai.com', true],
    ['https://house.openai.azure.com/openai/v1', true],
    ['http://127.0.0.1:11434/v1', false],
    ['https://notopenai.com', false],
  ])('CP-026 keep answers unless they are told not to: %s %s', (openaiUrl, stores) => {
    expect(providerStores({ ...NONE, openaiUrl })).toBe(stores);
  });
});
