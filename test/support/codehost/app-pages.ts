import type { ServerResponse } from 'node:http';
import type { ManifestDocument } from '../../../src/domain/connections/app-manifest.js';
import { readText } from '../oauth/local-server.js';
import { end, type Interference } from './code-host.js';
import type { RestApi } from './rest-api.js';

/** What a browser sent to register an app. */
export interface SentManifest {
  organization: string | null;
  manifest: ManifestDocument;
  state: string;
}

/** The pages of a code host of a test on which a person registers and installs apps: one button each, as GitHub has them. */
export class AppPages {
  readonly manifests: SentManifest[] = [];
  /** Where an app sends people once it is installed. */
  private readonly setupUrls = new Map<string, string>();
  private installed = 8000;

  constructor(private readonly rest: RestApi) {}

  readonly serve: Interference = async (request, response) => {
    const url = new URL(request.url ?? '', 'https://code.test');
    const state = url.searchParams.get('state') ?? '';
    const [, organization] = /^(?:\/organizations\/([\w-]+))?\/settings\/apps\/new$/.exec(url.pathname) ?? [''];
    if (/\/settings\/apps\/new$/.test(url.pathname) && request.method === 'POST') {
      const sent = new URLSearchParams(await readText(request)).get('manifest') ?? '';
      const manifest = JSON.parse(sent) as ManifestDocument;
      this.manifests.push({ organization: organization ?? null, manifest, state });
      button(
        response,
        `/apps/create?n=${this.manifests.length - 1}`,
        `Create GitHub App for ${organization ?? 'octo'}`,
      );
      return true;
    }
    if (url.pathname === '/apps/create') return this.create(response, Number(url.searchParams.get('n')));
    const [, slug, step] = /^\/apps\/([\w-]+)\/installations\/(new|create)$/.exec(url.pathname) ?? [];
    if (slug === undefined) return false;
    if (step === 'new') button(response, `/apps/${slug}/installations/create${url.search}`, 'Install');
    else this.install(response, slug, state);
    return true;
  };

  private create(response: ServerResponse, n: number): boolean {
    const sent = this.manifests[n];
    if (sent === undefined) throw new Error('no such manifest was sent');
    const { manifest, organization, state } = sent;
    const webhook = manifest.hook_attributes !== undefined;
    const code = this.rest.registerApp(manifest.name, organization ?? 'octo', { webhook });
    const { app } = this.rest.unclaimed.get(code) ?? {};
    this.setupUrls.set(app?.slug ?? '', manifest.setup_url);
    leave(response, `${manifest.redirect_url}?code=${code}&state=${encodeURIComponent(state)}`);
    return true;
  }

  private install(response: ServerResponse, slug: string, state: string): void {
    const id = String(++this.installed);
    this.rest.apps.find((app) => app.slug === slug)?.installations.set(id, { login: 'acme', suspended: false });
    const query = new URLSearchParams({ installation_id: id, setup_action: 'install', state });
    leave(response, `${this.setupUrls.get(slug)}?${query.toString()}`);
  }
}

function button(response: ServerResponse, action: string, text: string): void {
  const form = `<form method="post" action="${action.replaceAll('&', '&amp;')}"><button>${text}</button></form>`;
  response.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html><title>host</title>${form}`);
}

function leave(response: ServerResponse, location: string): void {
  end(response, 302, { location });
}
