import { describe, expect, it } from '@jest/globals';
import { configWarnings, loadConfig } from './load-config.js';

describe('the configuration of outbound traffic', () => {
  it('CP-036 opens nothing, and asks no proxy, unless told to', () => {
    expect(loadConfig({}).egress).toMatchObject({ allowCidrs: [], proxy: null, tenantPerMin: 120, durable: true });
    const env = { SERVICE_EGRESS_ALLOW_CIDRS: '10.1.0.0/16, fd12:3400::/24' };
    expect(loadConfig(env).egress.allowCidrs).toEqual(['10.1.0.0/16', 'fd12:3400::/24']);
  });

  it.each([
    ['SERVICE_EGRESS_ALLOW_CIDRS', '10.0.0.1/8'],
    ['SERVICE_EGRESS_ALLOW_CIDRS', '10.0.0.0/8,'],
    ['SERVICE_EGRESS_ALLOW_CIDRS', 'localhost'],
    ['SERVICE_EGRESS_PROXY', 'proxy:3128'],
    ['SERVICE_EGRESS_PROXY', 'socks5://proxy:1080'],
    ['SERVICE_EGRESS_PROXY', 'http://proxy:3128/path'],
    ['SERVICE_EGRESS_RATE_HOST_PER_MIN', '-1'],
    ['SERVICE_EGRESS_BREAKER_THRESHOLD', 'five'],
    ['SERVICE_EGRESS_DURABLE', 'yes'],
  ])('CP-036 refuses the boot for %s=%s, and names the variable', (variable, value) => {
    expect(() => loadConfig({ [variable]: value })).toThrow(variable);
  });

  it('warns when the metadata service of a cloud is opened', () => {
    const warnings = (cidrs: string): string[] => {
      const env = { SERVICE_EGRESS_ALLOW_CIDRS: cidrs };
      return configWarnings(loadConfig(env), env).filter((warning) => warning.includes('metadata'));
    };
    for (const open of ['169.254.0.0/16', '0.0.0.0/0', 'fc00::/7']) expect(warnings(open)).toHaveLength(1);
    expect(warnings('10.0.0.0/8,127.0.0.0/8')).toEqual([]);
  });
});
