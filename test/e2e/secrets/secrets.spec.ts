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

  beforeAll(async () => {
    [model, host] = await Promise.all([startCanaryModel(), CodeHost.start()]);
  });
  const enter = shareSearchedStack(() => ({
    ...LOOPBACK_UPSTREAMS,
    ANTHROPIC_API_KEY: PROVIDER_KEY,
    SERVICE_LLM_ANTHROPIC_URL: model.url,
    ...host.settings(),
  }));
  afterAll(async () => {
    await model?.close();
    await host?.stop();
  });

  describe(`proof 20: canaries planted in ${RUNS} runs occur where they belong and nowhere else`, () =>
    staysWherePlanted(enter, () => model));
  describe('secrets of connections occur nowhere in clear', () => keepsConnectionSecrets(enter));
  describe('a run on a repository that a connection fetches', () => fetchesWithConnection(enter, () => host));
});
