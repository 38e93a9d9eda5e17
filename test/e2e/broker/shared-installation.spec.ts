import { describe } from '@jest/globals';
import { LOOPBACK_UPSTREAMS, NO_DIAL_LIMITS } from '../../support/broker/brokered-run.js';
import { QUICK_MAINTENANCE } from '../../support/installation/live-stack.js';
import { shareStack } from '../../support/installation/share-stack.js';
import { brokersCalls } from './brokered-calls.part.js';
import { settlesCalls } from './call-faults.part.js';
import { holdsCalls } from './held-calls.part.js';

describe('brokering on one installation', () => {
  const enter = shareStack({ ...QUICK_MAINTENANCE, ...LOOPBACK_UPSTREAMS, ...NO_DIAL_LIMITS });

  describe('a brokered call', () => brokersCalls(enter));
  describe('a brokered call that waits', () => holdsCalls(enter));
  describe('a brokered call under faults', () => settlesCalls(enter));
});
