import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, jest } from '@jest/globals';
import type { ScriptedModel } from '../../../src/cli/demo/scripted-model.js';
import { LOOPBACK_UPSTREAMS } from '../../support/broker/brokered-run.js';
import { CodeHost } from '../../support/codehost/code-host.js';
import { fetchesWithConnection } from '../workspace/connected-run.part.js';
import { keepsConnectionSecrets } from './connection-secrets.part.js';
import { PROVIDER_KEY, RUNS, staysWherePlanted, startCanaryModel } from './planted-canaries.part.js';
import { shareSearchedStack } from './searched-stack.js';

// What is searched grows with the runs.
jest.setTimeout(120_000 + RUNS * 2_000);

describe('on one installation', () => {
  let model: ScriptedModel;
  let host: CodeHost;
  let trusted: string;

  beforeAll(async () => {
    [model, host] = await Promise.all([startCanaryModel(), CodeHost.start()]);
    trusted = mkdtempSync(join(tmpdir(), 'sg-trusted-'));
    writeFileSync(join(trusted, 'ca.pem'), host.certificate);
  });
  const enter = shareSearchedStack(() => ({
    ...LOOPBACK_UPSTREAMS,
    ANTHROPIC_API_KEY: PROVIDER_KEY,
    SERVICE_LLM_ANTHROPIC_URL: model.url,
    SERVICE_CODEHOST_API_URL: `${host.url()}/api`,
    SERVICE_CODEHOST_CLONE_BASE: host.url(),
    SERVICE_CODEHOST_CA_FILE: join(trusted, 'ca.pem'),
  }));
  afterAll(async () => {
    await model?.close();
    await host?.stop();
    rmSync(trusted, { recursive: true, force: true });
  });

  describe(`proof 20: canaries planted in ${RUNS} runs occur where they belong and nowhere else`, () =>
    staysWherePlanted(enter, () => model));
  describe('secrets of connections occur nowhere in clear', () => keepsConnectionSecrets(enter));
  describe('a run on a repository that a connection fetches', () => fetchesWithConnection(enter, () => host));
});
