import { describe, expect, it } from '@jest/globals';
import { appManifest, organizationProblem, type AppManifest } from './app-manifest.js';

const GIVEN: AppManifest = {
  publicHost: 'sandgate.example.com',
  url: 'https://sandgate.example.com',
  redirectUrl: 'https://sandgate.example.com/callback',
  setupUrl: 'https://sandgate.example.com/setup',
  webhookUrl: 'https://sandgate.example.com/hook',
};

describe('the manifest of an app', () => {
  it('asks for reading contents and for writing pull requests and checks: the app cannot push', () => {
    expect(appManifest(GIVEN)).toMatchObject({
      public: false,
      default_permissions: { contents: 'read', pull_requests: 'write', checks: 'write' },
      hook_attributes: { url: GIVEN.webhookUrl, active: true },
      default_events: ['pull_request'],
    });
  });

  it('asks for no events that could not arrive', () => {
    const manifest = appManifest({ ...GIVEN, webhookUrl: null });
    expect('hook_attributes' in manifest || 'default_events' in manifest).toBe(false);
  });

  it.each([
    ['sandgate.example.com', 'sandgate-sandgate-example-com'],
    ['10.1.2.3', 'sandgate-10-1-2-3'],
    ['[2001:db8::1]', 'sandgate--2001-db8-1'],
    ['a.very.long.name.of.some.department.example.com', 'sandgate-a-very-long-name-of-some'],
  ])('names the app after %s: %s', (publicHost, name) => {
    expect(appManifest({ ...GIVEN, publicHost }).name).toBe(name);
  });
});

describe('an organization of the code host', () => {
  it.each(['a', 'acme', 'Acme-2', '9-9', 'a'.repeat(100)])('%s can be named', (name) => {
    expect(organizationProblem(name)).toBeUndefined();
  });

  it.each(['', '-a', 'a'.repeat(101), 'a b', 'a/b', 'a.b', 'ä', 'a\n', '../a'])('%j cannot', (name) => {
    expect(organizationProblem(name)).toMatch(/^must be /);
  });
});
