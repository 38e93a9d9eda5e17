import { describe } from '@jest/globals';
import { QUICK_MAINTENANCE } from '../../support/installation/live-stack.js';
import { shareStack } from '../../support/installation/share-stack.js';
import { deliversResults, WAITS_MS } from './deliveries.part.js';
import { deliversToMany } from './delivery-campaign.part.js';

describe('results on one installation', () => {
  const enter = shareStack({
    ...QUICK_MAINTENANCE,
    SERVICE_EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
    SERVICE_DELIVERY_WAITS_MS: WAITS_MS.join(','),
    // Long enough for an answer on a busy machine; only silence waits this long.
    SERVICE_DELIVERY_TIMEOUT_MS: '10000',
  });

  describe('the result of a subscribed run', () => deliversResults(enter));
  describe('results for receivers of which three in ten fail', () => deliversToMany(enter));
});
