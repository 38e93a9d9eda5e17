import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from '@jest/globals';
import { LOOPBACK_UPSTREAMS } from '../../support/broker/brokered-run.js';
import { CodeHost } from '../../support/codehost/code-host.js';
import { QUICK_MAINTENANCE } from '../../support/installation/live-stack.js';
import { shareStack } from '../../support/installation/share-stack.js';
import { deliversResults, WAITS_MS } from './deliveries.part.js';
import { deliversToMany } from './delivery-campaign.part.js';
import { takesWebhooks } from './ingress.part.js';

describe('on one installation', () => {
  let host: CodeHost;
  let folder: string;

  beforeAll(async () => {
    host = await CodeHost.start();
    folder = mkdtempSync(join(tmpdir(), 'code-host-'));
    writeFileSync(join(folder, 'ca.pem'), host.certificate);
  });
  const enter = shareStack(() => ({
    ...QUICK_MAINTENANCE,
    ...LOOPBACK_UPSTREAMS,
    SERVICE_CODEHOST_API_URL: `${host.url()}/api`,
    SERVICE_CODEHOST_CLONE_BASE: host.url(),
    SERVICE_CODEHOST_CA_FILE: join(folder, 'ca.pem'),
    SERVICE_DELIVERY_WAITS_MS: WAITS_MS.join(','),
    // Long enough for an answer on a busy machine; only silence waits this long.
    SERVICE_DELIVERY_TIMEOUT_MS: '10000',
  }));
  afterAll(async () => {
    await host?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  describe('webhooks of a code host', () => takesWebhooks(enter, () => host));
  describe('the result of a subscribed run', () => deliversResults(enter));
  describe('results for receivers of which three in ten fail', () => deliversToMany(enter));
});
