import type { Confine } from '../../host/confine.js';
import { runConfined } from '../bubblewrap/confined.js';

/** How programs of our own are confined on this host, apart from any run. */
export const confine: Confine = runConfined;
