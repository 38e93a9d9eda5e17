/** Events that subscriptions can listen to (docs/design/ingress.md). Nothing that we publish causes one of them. */
export const EVENT_NAMES = ['pull_request.opened', 'pull_request.reopened', 'pull_request.synchronize'] as const;
export type EventName = (typeof EVENT_NAMES)[number];

/** What a subscription listens to that names no events: a push to an open pull request is not among it. */
export const DEFAULT_EVENTS: readonly EventName[] = ['pull_request.opened', 'pull_request.reopened'];

/** The canonical name of an event as a client writes it, whole or as the bare action; null for one that is not supported. */
export function canonicalEventName(given: string): EventName | null {
  return EVENT_NAMES.find((name) => name === given || name === `pull_request.${given}`) ?? null;
}
