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

  it('gives each harness a default that it can speak to', () => {
    const defaults = (env: Record<string, string>) =>
      Object.fromEntries(catalog(env).list().map(({ id, defaultModel }) => [id, defaultModel])); // prettier-ignore
    const local = { SERVICE_DEFAULT_MODEL: 'qwen3-coder', SERVICE_DEFAULT_CODEX_MODEL: 'gpt-5.4' };
    expect(defaults(local)).toEqual({
      builtin: 'qwen3-coder',
      replay: 'none',
      'claude-agent-sdk': 'claude-haiku-4-5',
      codex: 'gpt-5.4',
    });
    const claude = { SERVICE_DEFAULT_MODEL: 'claude-sonnet-5' };
    expect(defaults(claude)).toMatchObject({ builtin: 'claude-sonnet-5', 'claude-agent-sdk': 'claude-sonnet-5' });
  });

  it('adds the deployment’s own models', () => {
    const { models = [] } = catalog({ SERVICE_MODELS_BUILTIN: 'qwen3-coder, claude-haiku-4-5' }).find('builtin') ?? {};
    expect(models).toEqual(['claude-haiku-4-5', 'claude-sonnet-5', 'claude-opus-4-8', 'qwen3-coder']);
  });
});
