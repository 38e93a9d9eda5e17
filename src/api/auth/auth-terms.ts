import { publicUrl, type SandgateConfig } from '../../platform/config/index.js';
import { originOf } from './cross-site.js';

/** What the deployment says of its callers. */
export class AuthTerms {
  private constructor(
    /** People sign in, and the admin token is for the operator's plane alone (CP-054). */
    readonly requireSso: boolean,
    /** Scheme, host and effective port under which browsers reach us. */
    readonly publicOrigin: string,
    /** Seconds after which an unused browser session ends. */
    readonly sessionIdleSecs: number,
  ) {}

  static of({ auth, http }: Pick<SandgateConfig, 'auth' | 'http'>): AuthTerms {
    const address = publicUrl(http);
    const origin = originOf(address);
    if (origin === null) throw new Error(`SERVICE_PUBLIC_URL must be an address of http or https, not ${address}`);
    return new AuthTerms(auth.requireSso, origin, auth.sessionIdleSecs);
  }
}
