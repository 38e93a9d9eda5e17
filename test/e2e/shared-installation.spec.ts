import { describe } from '@jest/globals';
import { QUICK_MAINTENANCE } from '../support/installation/live-stack.js';
import { shareStack } from '../support/installation/share-stack.js';
import { INSPECTABLE } from '../support/memory/inspected-process.js';
import { asksOnce } from './approvals/reattachment.part.js';
import { showsFiles } from './approvals/shown-files.part.js';
import { heartbeatsInTime } from './faults/heartbeats.part.js';
import { hidesStateFolder } from './sandbox/state-path.part.js';
import { SEED, streamsEvents } from './streams/event-streams.part.js';
import { keepsSchedules } from './triggers/schedules.part.js';

describe('on one installation', () => {
  const enter = shareStack({ ...QUICK_MAINTENANCE, ...INSPECTABLE });

  describe('a file that a waiting command names', () => showsFiles(enter));
  describe('a call that waits for a human', () => asksOnce(enter));
  describe('an activity that goes on', () => heartbeatsInTime(enter));
  describe('what the kernel tells a program inside', () => hidesStateFolder(enter));
  describe(`event streams, seed ${SEED}`, () => streamsEvents(enter));
  // Last: they end with another store of Temporal.
  describe('schedules', () => keepsSchedules(enter));
});
