import { isExactObject, isRawNumber, type ExactJson } from '../../digest/exact-json.js';
import { foreignText } from './foreign-text.js';
import { memberOf, objectMember, textMember } from './payload-members.js';

/** Events of an installation that change its connection. */
const LIFECYCLE = ['created', 'deleted', 'suspend', 'unsuspend'] as const;
export type LifecycleAction = (typeof LIFECYCLE)[number];

/** Null for an event that changes no connection. @param header the host's name of the event (`X-GitHub-Event`) */
export function lifecycleAction(header: string, payload: ExactJson): LifecycleAction | null {
  if (header !== 'installation' || !isExactObject(payload)) return null;
  const action = textMember(payload, 'action');
  return LIFECYCLE.find((known) => known === action) ?? null;
}

/** The installation of an app that an event is about; null for what is about none. */
export function readInstallation(payload: ExactJson): { id: string; accountLogin: string } | null {
  const installation = isExactObject(payload) ? objectMember(payload, 'installation') : {};
  const given = memberOf(installation, 'id');
  // Numbers that are no double are kept by their digits.
  const id = isRawNumber(given) ? given.rawJSON : typeof given === 'object' ? '' : String(given);
  if (!/^[1-9]\d{0,19}$/.test(id)) return null;
  return { id, accountLogin: foreignText(memberOf(objectMember(installation, 'account'), 'login')) };
}
