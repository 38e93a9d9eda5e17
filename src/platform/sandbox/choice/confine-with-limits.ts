import { SandgateError } from '../../../domain/errors.js';
import type { Confine } from '../../host/confine.js';
import { tryProfile } from '../bubblewrap/check-host.js';
import { runConfined } from '../bubblewrap/confined.js';

/**
 * How this host confines programs with limits over all that they start; bubblewrap alone can.
 * @throws SandgateError `unavailable` with what is missing
 */
export async function confineWithLimits(): Promise<Confine> {
  const missing = await tryProfile();
  if (missing.length > 0) throw new SandgateError('unavailable', missing.join('; '));
  return runConfined;
}
