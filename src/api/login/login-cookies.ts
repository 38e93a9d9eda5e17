import { LOGIN_TTL_SECS } from '../../core/identity/sign-in/login-flows.js';
import { SWITCH_TTL_SECS } from '../../core/identity/sign-in/login-switches.js';
import { hostCookie, readCookie } from '../http/cookies.js';

/** Cookies that bind one step of signing in to a browser, each with its id in its name: several tabs do not disturb each other. */
type Step = 'login' | 'switch';

const LIFETIMES: Record<Step, number> = { login: LOGIN_TTL_SECS, switch: SWITCH_TTL_SECS };

export function setStepCookie(step: Step, id: string, value: string): string {
  return hostCookie(nameOf(step, id), value, LIFETIMES[step]);
}

export function clearStepCookie(step: Step, id: string): string {
  return hostCookie(nameOf(step, id), 'deleted', 0);
}

/** Null when there is none, or several. */
export function readStepCookie(header: string | undefined, step: Step, id: string): string | null {
  return readCookie(header, nameOf(step, id));
}

/** @param id a UUID, in lower case */
function nameOf(step: Step, id: string): string {
  return `__Host-svc_${step}_${id.replaceAll('-', '')}`;
}
