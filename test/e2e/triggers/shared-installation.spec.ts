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

  beforeAll(async () => {
    host = await CodeHost.start();
  });
  const enter = shareStack(() => ({
    ...QUICK_MAINTENANCE,
    ...LOOPBACK_UPSTREAMS,
    ...host.settings(),
    SERVICE_DELIVERY_WAITS_MS: WAITS_MS.join(','),
    // Long enough for an answer on a busy machine; only silence waits this long.
    SERVICE_DELIVERY_TIMEOUT_MS: '10000',
  }));
  afterAll(async () => {
    await host?.stop();
  });

  describe('webhooks of a code host', () => takesWebhooks(enter, () => host));
  describe('the result of a subscribed run', () => deliversResults(enter));
  describe('results for receivers of which three in ten fail', () => deliversToMany(enter));
});
