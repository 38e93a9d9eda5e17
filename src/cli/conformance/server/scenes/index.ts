import type { Scene } from '../scene.js';
import { approval } from './approval.js';
import { audiences } from './audiences.js';
import { cancelled, expired, overspent, reported } from './ending.js';
import { gate } from './gate.js';
import { narrative } from './narrative.js';

/** Every run of the kit, the longest first. */
export const SCENES: readonly Scene[] = [approval, narrative, gate, cancelled, reported, expired, overspent, audiences];
