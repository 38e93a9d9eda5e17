import { describe, expect, it } from '@jest/globals';
import {
  giteaPullRequest,
  githubPullRequest,
  recordedWebhooks,
  type PullRequestOptions,
} from '../../../../test/support/webhooks/payloads.js';
import type { ExactJson } from '../../digest/exact-json.js';
import { parseJsonPreservingNumbers } from '../../digest/parse-json.js';
import { SandgateError } from '../../errors.js';
import type { JsonObject } from '../../json.js';
import { canonicalEventName, DEFAULT_EVENTS, EVENT_NAMES } from './event-names.js';
import { mapEvent } from './map-event.js';
import { attributesOf, EVENT_TEMPLATE_KEYS, resourceOf, templateKeysOf, workspaceOf } from './pull-request-event.js';

const AT = { connectionId: '019b0000-0000-7000-8000-000000000001', cloneBase: 'https://code.test' };

/** As it comes from the wire. */
const sent = (payload: unknown): ExactJson => parseJsonPreservingNumbers(JSON.stringify(payload));

function eventOf(payload: unknown) {
  const mapped = mapEvent('pull_request', sent(payload));
  if ('ignored' in mapped) throw new Error(`ignored as ${mapped.ignored}`);
  return mapped.event;
}

/** A payload in which one member, named by its path, is another; undefined removes it. */
function changed(payload: JsonObject, path: string, value: unknown): JsonObject {
  const names = path.split('.');
  const last = names.pop() ?? '';
  const at = names.reduce((object, name) => object[name] as JsonObject, payload);
  if (value === undefined) Reflect.deleteProperty(at, last);
  else Object.assign(at, { [last]: value });
  return payload;
}

describe('events of code hosts', () => {
  it('CP-109 only opened, reopened and pushed-to pull requests map: every payload that GitHub recorded', () => {
    const recorded = recordedWebhooks();
    const mapped = recorded.filter(({ name, payload }) => 'event' in mapEvent(name, sent(payload)));
    expect(recorded.length).toBeGreaterThan(500);
    expect(new Set(mapped.map(({ name, payload }) => `${name}.${payload['action'] as string}`))).toEqual(
      new Set(EVENT_NAMES),
    );
    expect(mapped.length).toBe(14);
  });

  it.each(['opened', 'reopened', 'synchronize'])(
    'maps %s of a recorded payload with everything that templates name',
    (action) => {
      const event = eventOf(githubPullRequest({ action, title: 'Fix it' }));
      expect(resourceOf(event)).toBe('acme/shop#2');
      expect(templateKeysOf(event)).toEqual({
        repository: 'acme/shop',
        pr_number: '2',
        pr_title: 'Fix it',
        pr_url: 'https://github.com/acme/shop/pull/2',
        pr_author: 'Codertocat',
        head_sha: 'ec26c3e57ca3a959ca5aad62de7213c562f8c821',
        head_ref: 'changes',
        base_sha: 'f95f852bd8fca8fcc58a9a2d6c842781e32a215e',
        base_ref: 'master',
        action,
        event: `pull_request.${action}`,
        fork: 'false',
      });
      expect(Object.keys(templateKeysOf(event))).toEqual(EVENT_TEMPLATE_KEYS);
      expect(event.occurred_at).toBe('2019-05-15T15:20:33.000Z');
      expect(attributesOf(event)).toEqual({
        provider: 'codehost',
        repository: 'acme/shop',
        pr_number: 2,
        title: 'Fix it',
        author: 'Codertocat',
        head_sha: 'ec26c3e57ca3a959ca5aad62de7213c562f8c821',
        base_sha: 'f95f852bd8fca8fcc58a9a2d6c842781e32a215e',
        fork: false,
        action,
        url: 'https://github.com/acme/shop/pull/2',
      });
    },
  );

  it("Gitea's synchronized is synchronize, and its pull requests read like GitHub's", () => {
    const event = eventOf(giteaPullRequest({ action: 'synchronized' }));
    expect(event).toMatchObject({
      type: 'pull_request.synchronize',
      repository: 'acme/shop',
      author: 'jane',
      fork: false,
    });
    expect(event.occurred_at).toBe('2026-03-01T10:00:00.000Z');
    expect(mapEvent('pull_request', sent(giteaPullRequest({ action: 'closed' })))).toEqual({
      ignored: 'pull_request.closed',
    });
  });

  it('the workspace is the head commit at the clone base, whatever addresses the payload names', () => {
    const payload = githubPullRequest({});
    changed(payload, 'repository.clone_url', 'https://evil.test/x.git');
    changed(payload, 'pull_request.head.repo.clone_url', 'https://evil.test/x.git');
    expect(workspaceOf(eventOf(payload), AT)).toEqual({
      kind: 'git_repository',
      connection_id: AT.connectionId,
      repository: 'acme/shop',
      clone_url: 'https://code.test/acme/shop',
      commit_sha: 'ec26c3e57ca3a959ca5aad62de7213c562f8c821',
      base_sha: 'f95f852bd8fca8fcc58a9a2d6c842781e32a215e',
      checkout_mode: 'writable_copy',
    });
  });

  it.each([undefined, '', 'main', '--upload-pack=x', 'f95f852', `${'a'.repeat(40)}\n`])(
    'a base that is no whole commit (%j) is not compared with',
    (sha) => {
      const payload = changed(githubPullRequest({}), 'pull_request.base.sha', sha);
      expect(workspaceOf(eventOf(payload), AT)).not.toHaveProperty('base_sha');
    },
  );

  it('a pull request of a fork is fetched from the base repository and mounted read-only', () => {
    const workspace = workspaceOf(eventOf(githubPullRequest({ fork: true })), AT);
    expect(workspace).toMatchObject({ checkout_mode: 'read_only', clone_url: 'https://code.test/acme/shop' });
  });

  it.each<[string, PullRequestOptions & { agit?: boolean }]>([
    ['whose head is in another repository', { fork: true }],
    ['that was pushed to refs/for without a branch', { agit: true }],
  ])("of Gitea, a pull request %s is a fork's", (_, of) => expect(eventOf(giteaPullRequest(of)).fork).toBe(true));

  it.each([
    ['repository.full_name', 'acme'],
    ['repository.full_name', 'a/b/c'],
    ['repository.full_name', '../x'],
    ['repository.full_name', 'acme/..'],
    ['repository.full_name', 'acme/shop\n'],
    ['repository.full_name', 'acme/sh op'],
    ['repository.full_name', '/shop'],
    ['repository.full_name', 7],
    ['repository.full_name', undefined],
    ['repository', null],
    ['pull_request.head.sha', 'abc'],
    ['pull_request.head.sha', 'g'.repeat(40)],
    ['pull_request.head.sha', 'a'.repeat(41)],
    ['pull_request.head.sha', null],
    ['pull_request.head', undefined],
    ['pull_request', []],
    ['pull_request.number', '2'],
    ['pull_request.number', -1],
    ['pull_request.number', 1.5],
    ['pull_request.number', 2 ** 53],
  ])('refuses %s: %p', (path, value) => {
    const payload = sent(changed(githubPullRequest(), path, value));
    expect(() => mapEvent('pull_request', payload)).toThrow(SandgateError);
  });

  it.each([[[]], ['text'], [7], [null]])('refuses a pull request whose payload is %p', (payload) => {
    expect(() => mapEvent('pull_request', payload)).toThrow('the payload must be an object');
  });

  it('texts of strangers lose what the record cannot hold, and their length', () => {
    const event = eventOf(githubPullRequest({ title: `a\u0000b\ud800c${'x'.repeat(2_000_000)}` }));
    expect(event.title.startsWith('a\ufffdb\ufffdcx')).toBe(true);
    expect(event.title.length).toBe(1024);
    expect(eventOf(githubPullRequest({ title: `${'x'.repeat(1023)}😀` })).title.isWellFormed()).toBe(true);
  });

  it('time and author are what the host says, else what is left', () => {
    const late = changed(githubPullRequest(), 'pull_request.updated_at', null);
    expect(eventOf(late).occurred_at).toBe('2019-05-15T15:20:33.000Z');
    for (const time of ['yesterday', '0000-01-01T00:00:00Z', '9999-12-31T23:59:59-12:00', 5, ''])
      expect(
        eventOf(changed(changed(late, 'pull_request.created_at', time), 'pull_request.updated_at', time)).occurred_at,
      ).toBeNull();
    expect(eventOf(changed(githubPullRequest(), 'pull_request.user', null)).author).toBe('unknown');
  });

  it('names of what is not mapped are short and nothing else is read of it', () => {
    expect(mapEvent('ping', null)).toEqual({ ignored: 'ping' });
    expect(mapEvent('x'.repeat(5000), 'text')).toEqual({ ignored: 'x'.repeat(100) });
    expect(mapEvent('pull_request', { action: 'Opened<script>' })).toEqual({ ignored: 'pull_request' });
    for (const action of ['constructor', '__proto__', 'toString'])
      expect(mapEvent('pull_request', { action })).toHaveProperty('ignored');
  });

  it('CP-109 event names are canonical, and may be written as the bare action', () => {
    expect(DEFAULT_EVENTS).toEqual(['pull_request.opened', 'pull_request.reopened']);
    expect(canonicalEventName('synchronize')).toBe('pull_request.synchronize');
    expect(canonicalEventName('pull_request.opened')).toBe('pull_request.opened');
    for (const name of [
      '',
      'push',
      'pull_request',
      'pull_request.closed',
      'synchronized',
      'OPENED',
      'pull_request.pull_request.opened',
    ])
      expect(canonicalEventName(name)).toBeNull();
  });

  it('no loop: nothing that we publish, and nothing that is done with it, maps', () => {
    const ours = ['issue_comment', 'pull_request_review', 'pull_request_review_comment', 'pull_request_review_thread',
      'check_run', 'check_suite', 'status', 'commit_comment', 'push', 'workflow_run', 'deployment_status']; // prettier-ignore
    const recorded = recordedWebhooks();
    for (const name of ours) {
      const sentOfIt = recorded.filter((one) => one.name === name);
      expect(sentOfIt.length).toBeGreaterThan(0);
      for (const { payload } of sentOfIt) expect(mapEvent(name, sent(payload))).toEqual({ ignored: name });
    }
    // Not even when such an event says that it was opened.
    for (const name of ours) expect(mapEvent(name, sent(githubPullRequest()))).toEqual({ ignored: name });
  });
});
