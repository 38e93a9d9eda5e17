import type { Scenario } from '../scenario.js';
import { brokered } from './brokered.js';
import { brokenHandOff, busyModel, failing, missingVariable, quiesced, quiescedAtOnce } from './ending.js';
import { governed, refused, wrongAudience, wrongAudienceOfHeart } from './governed.js';
import { faulty, parked, unreported } from './patience.js';

/** Every scenario, the longest first, because several go on at a time. */
export const SCENARIOS: readonly Scenario[] = [
  parked,
  unreported,
  faulty,
  quiesced,
  brokered,
  governed,
  refused,
  wrongAudience,
  wrongAudienceOfHeart,
  quiescedAtOnce,
  failing,
  busyModel,
  brokenHandOff,
  missingVariable,
];
