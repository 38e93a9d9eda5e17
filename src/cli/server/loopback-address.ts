import { isLoopbackHost } from '../../platform/host/loopback.js';

/** Whether an address leads to this machine itself. A name that only begins like such an address does not. */
export function isLoopback(url: string): boolean {
  return isLoopbackHost(new URL(url).hostname);
}
