import type { BundlePin } from '../capabilities/bundle.js';
import { SandgateError } from '../errors.js';
import { isRepositoryName } from '../run/workspace-input.js';
import { canonicalEventName, DEFAULT_EVENTS, EVENT_NAMES, type EventName } from './events/event-names.js';
import { EVENT_TEMPLATE_KEYS } from './events/pull-request-event.js';
import { PUBLISH_MODES, type PublishMode } from './subscription.js';
import { renderTemplate } from './template.js';

/** Longest name of a trigger: it is shown in check names, comments and lists. */
export const MAX_NAME_CHARS = 200;

/** What the template of a schedule may name. */
export const SCHEDULE_TEMPLATE_KEYS = ['fire_time'] as const;

/** The name of a trigger, trimmed. One line: it is published to code hosts. @throws SandgateError `invalid_request` */
export function requireName(text: string): string {
  const name = text.trim();
  if (name === '') throw invalid('name', 'must not be blank');
  if (/\p{Cc}|[\u2028\u2029]/u.test(name)) throw invalid('name', 'must be one line without control characters');
  return name;
}

/** A template that is blank is none. */
export function templateOf(text: string | null | undefined): string | null {
  return text == null || text.trim() === '' ? null : text;
}

/** A trigger says what to do, or lets each invocation say it. @throws SandgateError `invalid_request` */
export function requireTask(template: string | null, allowTaskOverride: boolean): void {
  if (template !== null || allowTaskOverride) return;
  throw invalid('task_template', 'must not be blank unless allow_task_override is true');
}

/** A firing without a caller has nothing but the template and these keys. @throws SandgateError `invalid_request` */
export function requireRenderable(template: string | null, keys: readonly string[], kind: 'schedule' | 'event'): void {
  if (template === null) throw invalid('task_template', `a trigger of kind ${kind} needs one`);
  renderTemplate(template, Object.fromEntries(keys.map((key) => [key, ''])));
}

export function requireEventTemplate(template: string | null): void {
  requireRenderable(template, EVENT_TEMPLATE_KEYS, 'event');
}

/** The keep-list of bundles, each of which the revision has. @throws SandgateError `invalid_request` that lists what is attached */
export function requireAttached(names: readonly string[] | null, attached: readonly BundlePin[]): string[] | null {
  if (names === null) return null;
  const known = attached.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return [...new Set(names)];
  const has = known.length === 0 ? 'none is' : `${known.toSorted().join(', ')} ${known.length === 1 ? 'is' : 'are'}`;
  throw invalid('capabilities', `${unknown} is not attached to the agent's revision; ${has} attached`);
}

/** Members that say what of a connection is listened to. */
export interface ResourceMembers {
  repositories: string[] | null;
  events: string[] | null;
  publish: string[] | null;
}

/** @throws SandgateError `invalid_request` for members of an event trigger without a connection, and for two causes at once */
export function requireOneCause(
  { connection, schedule }: { connection: string | null; schedule: object | null },
  members: ResourceMembers,
): void {
  if (connection === null) {
    for (const member of ['repositories', 'events', 'publish'] as const)
      if (members[member] !== null) throw invalid(member, 'needs a connection that the trigger listens to');
  } else if (schedule !== null) {
    throw invalid('schedule', 'a trigger has a schedule or a connection, not both');
  }
}

/** What an event trigger listens to and publishes, with defaults for what is left out. */
export interface EventResources {
  repositories: string[];
  events: EventName[];
  publish: PublishMode[];
}

/** @throws SandgateError `invalid_request` naming what is not known */
export function readResources({ repositories, events, publish }: ResourceMembers): EventResources {
  return {
    events: events === null ? [...DEFAULT_EVENTS] : readEvents(events),
    publish: publish === null ? ['pr_comment'] : readPublish(publish),
    repositories: readRepositories(repositories ?? []),
  };
}

function readEvents(names: readonly string[]): EventName[] {
  if (names.length === 0) throw invalid('events', 'must name at least one event; leave it out for the default');
  const events = names.map((name) => {
    const event = canonicalEventName(name.trim());
    if (event !== null) return event;
    throw invalid('events', `unknown event ${name.slice(0, 80)}; known are ${EVENT_NAMES.join(', ')}`);
  });
  return [...new Set(events)];
}

function readPublish(names: readonly string[]): PublishMode[] {
  const modes = names.map((name) => {
    const mode = PUBLISH_MODES.find((known) => known === name);
    if (mode !== undefined) return mode;
    throw invalid('publish', `unknown result ${name.slice(0, 80)}; known are ${PUBLISH_MODES.join(', ')}`);
  });
  return [...new Set(modes)];
}

function readRepositories(names: readonly string[]): string[] {
  const repositories = names.map((name) => {
    if (isRepositoryName(name)) return name;
    throw invalid(
      'repositories',
      `${name.slice(0, 80)} must be owner/name, both of letters, digits, dot, underscore and hyphen`,
    );
  });
  return [...new Set(repositories)];
}

function invalid(member: string, reason: string): SandgateError {
  return new SandgateError('invalid_request', `${member}: ${reason}`);
}
