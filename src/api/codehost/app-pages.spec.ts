import { describe, expect, it } from '@jest/globals';
import { contentSecurityPolicy, renderPage } from '../pages/page.js';
import { appManifest } from '../../domain/connections/app-manifest.js';
import { registeredPage, registrationPage, setupPage } from './app-pages.js';

const MANIFEST = appManifest({ publicHost: 'us.test', url: '', redirectUrl: '', setupUrl: '', webhookUrl: null });
const HOSTILE = `"><script>alert('x')</script>&amp;`;
const ESCAPED = '&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;amp;';

describe('the pages of apps', () => {
  it('hold nothing of others as markup, in texts, fields and addresses', () => {
    const form = {
      flowId: 'f',
      nonce: 'n',
      action: `https://code.test/new?state=${HOSTILE}`,
      manifest: { ...MANIFEST, name: HOSTILE },
      organization: HOSTILE,
    };
    const app = {
      id: '1',
      slug: HOSTILE,
      name: HOSTILE,
      clientId: '',
      clientSecret: 'canary',
      webhookSecret: 'canary',
      privateKey: 'canary',
      htmlUrl: '',
      ownerLogin: HOSTILE,
    };
    const connection = { display_name: HOSTILE, status: 'active' } as never;
    const pages = [
      registrationPage(form, { hostOrigin: 'https://code.test' }),
      registeredPage({ registered: true, flowId: 'f', app, events: true, goUrl: `https://us.test/${HOSTILE}` }),
      setupPage({ connection, flowId: 'f', events: true }),
    ];
    for (const page of pages.map(renderPage)) {
      expect(page).toContain(ESCAPED);
      expect(page).not.toMatch(/<script|canary/);
    }
  });

  it('can send their form to the code host and nowhere else', () => {
    const form = {
      flowId: '',
      nonce: '',
      action: 'https://code.test/new',
      manifest: MANIFEST,
      organization: null,
    };
    const page = registrationPage(form, { hostOrigin: 'https://code.test:8443' });
    expect(contentSecurityPolicy(page)).toMatch(/form-action https:\/\/code\.test:8443$/);
  });
});
