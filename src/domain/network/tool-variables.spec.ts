import { describe, expect, it } from '@jest/globals';
import { parseAgentVariables } from '../run/agent-variables.js';
import type { ApprovedNetwork } from './grant.js';
import {
  javaProxyOptions,
  leadsOut,
  networkSentence,
  networkVariables,
  parseToldNetwork,
  toldNetwork,
  type ToldNetwork,
} from './tool-variables.js';

const PROXY = 'http://127.0.0.1:3128';
const GRANT: ApprovedNetwork = {
  schema_version: 1,
  mode: 'approved',
  targets: [
    { kind: 'dns', pattern: { kind: 'exact', name: 'a.example' }, ports: [{ from: 443, to: 443 }], protocol: 'tcp' },
    { kind: 'dns', pattern: { kind: 'wildcard', suffix: 'b.example' }, ports: [{ from: 80, to: 81 }], protocol: 'tcp' },
  ],
  denied: [],
  variables: { npm_config_registry: 'https://a.example/' },
  expires_at: '2030-01-01T00:00:00Z',
  policy_digest: `sha256:${'0'.repeat(64)}`,
};

describe('what a runner is told of the network', () => {
  it('comes back as it was written', () => {
    const told = toldNetwork(GRANT);
    expect(told).toEqual({
      mode: 'approved',
      targets: ['a.example:443', '*.b.example:80-81'],
      variables: GRANT.variables,
    });
    expect(parseToldNetwork(JSON.stringify(told))).toEqual(told);
    const offline = toldNetwork({ schema_version: 1, mode: 'offline' });
    expect(parseToldNetwork(undefined)).toEqual(offline);
    expect(parseToldNetwork(JSON.stringify(offline))).toEqual(offline);
  });

  it.each([
    '{',
    '[]',
    '{}',
    '{"mode":"public","targets":[],"variables":{}}',
    '{"mode":"approved","targets":[1],"variables":{}}',
  ])('%s is nothing of ours', (text) => expect(parseToldNetwork(text)).toBeNull());

  it('is told to the agent, ten targets by name', () => {
    expect(networkSentence(toldNetwork({ schema_version: 1, mode: 'offline' }))).toBe('There is no network.');
    const targets = Array.from({ length: 12 }, (_, index) => `h${index}.example:443`);
    const sentence = networkSentence({ mode: 'approved', targets, variables: {} });
    expect(sentence).toContain('h9.example:443, and 2 more');
    expect(sentence).not.toContain('h10.example');
  });
});

describe('the variables of the network', () => {
  const offline: ToldNetwork = { mode: 'offline', targets: [], variables: {} };

  it('lead every tool to the proxy and none of its own neighbours', () => {
    for (const network of [offline, toldNetwork(GRANT)]) {
      const variables = networkVariables(network, PROXY, '/certificates');
      for (const name of ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY'])
        expect(variables[name]).toBe(PROXY);
      expect(variables['NO_PROXY']).toBe('localhost,127.0.0.1,::1');
      for (const name of ['SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS', 'PIP_CERT', 'GIT_SSL_CAINFO'])
        expect(variables[name]).toBe('/certificates');
    }
    expect(networkVariables(offline, PROXY, null)).not.toHaveProperty('SSL_CERT_FILE');
  });

  it('let tools of an offline run fail at once, and hold those of the presets otherwise', () => {
    expect(networkVariables(offline, PROXY, null)).toMatchObject({
      npm_config_fetch_retries: '0',
      PIP_RETRIES: '0',
      CARGO_NET_RETRY: '0',
      GOPROXY: 'off',
    });
    const approved = networkVariables(toldNetwork(GRANT), PROXY, null);
    expect(approved).toMatchObject({ npm_config_registry: 'https://a.example/', NODE_USE_ENV_PROXY: '1' });
    expect(approved).not.toHaveProperty('GOPROXY');
  });

  it('tell Java, which reads none', () => {
    expect(javaProxyOptions(PROXY)).toBe(
      '-Dhttp.proxyHost=127.0.0.1 -Dhttp.proxyPort=3128 -Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=3128',
    );
  });

  it.each([
    'HTTPS_PROXY',
    'http_proxy',
    'No_Proxy',
    'SSL_CERT_FILE',
    'pip_cert',
    'NPM_CONFIG_HTTPS_PROXY',
    'npm_config_proxy',
    'npm_config_noproxy',
    'npm_config_strict_ssl',
    'CARGO_HTTP_PROXY',
    'YARN_HTTP_PROXY',
    'SSL_CERT_DIR',
    'NODE_USE_ENV_PROXY',
  ])('are not the revision’s to set, which says what is: %s', (name) =>
    expect(() => parseAgentVariables({ [name]: 'x' })).toThrow(
      `env.${name}: is reserved: the run's network decides by which way tools reach hosts and whom they trust; set network`,
    ),
  );

  it('that a run is given are all of them reserved, but those that only make tools quick or quiet', () => {
    const given = Object.keys(networkVariables(offline, PROXY, '/certificates'));
    const free = given.filter((name) => !leadsOut(name));
    expect(free).toEqual([
      ...['npm_config_audit', 'npm_config_fund', 'npm_config_update_notifier', 'PIP_DISABLE_PIP_VERSION_CHECK'],
      ...['PIP_NO_INPUT', 'npm_config_fetch_retries', 'npm_config_prefer_offline', 'PIP_RETRIES'],
      ...['PIP_DEFAULT_TIMEOUT', 'CARGO_NET_RETRY', 'CARGO_NET_OFFLINE', 'GOPROXY'],
    ]);
  });

  it.each(['NPM_CONFIG_REGISTRY', 'PIP_INDEX_URL', 'GOFLAGS', 'GOPROXY', 'MAVEN_OPTS', 'PROXY_PORT', 'WAF_PROXY'])(
    '%s stays the revision’s',
    (name) => {
      expect(parseAgentVariables({ [name]: 'x' })).toEqual({ [name]: 'x' });
    },
  );
});
