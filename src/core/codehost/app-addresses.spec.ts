import { describe, expect, it } from '@jest/globals';
import { AppAddresses } from './app-addresses.js';

const addresses = (publicUrl: string, webUrl = 'https://github.com') => new AppAddresses(publicUrl, webUrl);
const REGISTRATION = { id: '01900000-0000-7000-8000-000000000000', target_org: null };

describe('whether the code host can send us events', () => {
  it.each([
    'https://sandgate.example.com',
    'http://sandgate.example.com:8787',
    'https://93.184.216.34',
    'https://intranet',
  ])('%s: asked for', (url) => {
    const { manifest } = addresses(url).manifestForm(REGISTRATION, 's');
    expect(manifest.hook_attributes).toEqual({
      url: `${url}/v1/ingress/codehost/app/${REGISTRATION.id}`,
      active: true,
    });
  });

  it.each([
    'http://localhost:8787',
    'http://sandgate.localhost',
    'http://127.0.0.1:8787',
    'http://127.9.9.9',
    'http://2130706433',
    'http://0.0.0.0:8787',
    'http://10.1.2.3',
    'http://172.16.0.1',
    'http://192.168.1.1',
    'http://169.254.1.1',
    'http://[::1]:8787',
    'http://[::]:8787',
    'http://[fd00::1]',
    'http://[fe80::1]',
    'http://[::ffff:10.1.2.3]',
  ])('%s: not asked for', (url) => {
    const { manifest } = addresses(url).manifestForm(REGISTRATION, 's');
    expect('hook_attributes' in manifest).toBe(false);
  });
});

describe('the pages of the code host', () => {
  it('are those of the person, or of the organization', () => {
    const own = addresses('https://s.example', 'https://git.example/hub');
    expect(own.manifestForm(REGISTRATION, 'a&b').action).toBe('https://git.example/hub/settings/apps/new?state=a%26b');
    expect(own.manifestForm({ ...REGISTRATION, target_org: 'acme' }, 's').action).toBe(
      'https://git.example/hub/organizations/acme/settings/apps/new?state=s',
    );
    expect(own.installPage('a/b', 's')).toBe('https://git.example/hub/apps/a%2Fb/installations/new?state=s');
    expect(own.hostOrigin).toBe('https://git.example');
  });
});
