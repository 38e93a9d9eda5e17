import { describe, expect, it } from '@jest/globals';
import { loadConfig } from '../../platform/config/index.js';
import { HarnessCatalog } from './harness-catalog.js';

const catalog = (env: Record<string, string>) => new HarnessCatalog(loadConfig(env));

describe('the harness catalog', () => {
  it('CP-082 CP-138 CP-171 has four harnesses, each with a default among its models', () => {
    const harnesses = catalog({ SERVICE_DEFAULT_MODEL: 'own-model' }).list();
    expect(harnesses.map((harness) => harness.id)).toEqual(['builtin', 'replay', 'claude-agent-sdk', 'codex']);
    for (const harness of harnesses) expect(harness.models).toContain(harness.defaultModel);
    expect(catalog({}).find('nothing')).toBeUndefined();
  });

  it('says what to set when no model provider is configured', () => {
    expect(catalog({}).find('builtin')?.unavailable).toContain('ANTHROPIC_API_KEY');
    expect(catalog({ ANTHROPIC_API_KEY: 'k' }).find('builtin')?.unavailable).toBeNull();
    expect(catalog({ SERVICE_LLM_UPSTREAM_URL: 'http://127.0.0.1:9' }).find('builtin')?.unavailable).toBeNull();
    expect(catalog({}).find('replay')?.unavailable).toBeNull();
  });
});
