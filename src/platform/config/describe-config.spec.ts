import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { describeConfig, renderConfigurationDocument } from './describe-config.js';
import { loadConfig } from './index.js';

describe('describeConfig', () => {
  it('shows a secret as a digest and says where each value came from', () => {
    const env = { SERVICE_ADMIN_TOKEN: 'a-canary-of-twenty-chars', SERVICE_BIND: '[::1]:9000' };
    const rows = describeConfig(loadConfig(env), env);
    expect(JSON.stringify(rows)).not.toContain('canary');
    expect(rows).toContainEqual({
      section: 'http',
      variable: 'SERVICE_BIND',
      value: '[::1]:9000',
      source: 'environment',
    });
    const token = rows.find((row) => row.variable === 'SERVICE_ADMIN_TOKEN');
    expect(token?.value).toMatch(/^sha256:[0-9a-f]{12}$/);
  });

  it('keeps docs/configuration.md up to date', () => {
    expect(readFileSync('docs/configuration.md', 'utf8')).toBe(renderConfigurationDocument());
  });
});
