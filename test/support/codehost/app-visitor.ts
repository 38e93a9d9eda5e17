import type { ManifestDocument } from '../../../src/domain/connections/app-manifest.js';
import type { TestApi } from '../api/api.js';

/** The form of the page that sends a browser to the code host. */
export interface OpenedForm {
  page: Response;
  action: URL;
  state: string;
  manifest: ManifestDocument;
}

/** Cookies and pages as a browser has them, as far as registering and installing an app needs it. */
export class AppVisitor {
  readonly cookies = new Map<string, string>();

  constructor(private readonly api: TestApi) {}

  /** Asks for a page of ours, wherever its address says that we are. */
  get(url: string, headers: Record<string, string> = {}): Promise<Response> {
    return this.send('GET', url, headers);
  }

  /** Asks where a link leads, as scanners of links do. @returns the status and the methods that there are */
  async look(url: string): Promise<[number, string | null]> {
    const { status, headers } = await this.send('HEAD', url, {});
    return [status, headers.get('allow')];
  }

  private async send(method: string, url: string, headers: Record<string, string>): Promise<Response> {
    const { pathname, search } = new URL(url, this.api.url);
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const sent = { ...(cookie === '' ? {} : { cookie }), ...headers };
    const response = await fetch(`${this.api.url}${pathname}${search}`, { method, redirect: 'manual', headers: sent });
    for (const line of response.headers.getSetCookie()) this.keep(line);
    return response;
  }

  /** Opens the link of a registration. */
  async openManifest(goUrl: string): Promise<OpenedForm> {
    const page = await this.get(goUrl);
    const html = await page.text();
    if (page.status !== 200) throw new Error(`the page answered ${page.status}: ${html}`);
    const action = new URL(unescaped(/<form method="post" action="([^"]*)"/.exec(html)?.[1]));
    const manifest = unescaped(/name="manifest" value="([^"]*)"/.exec(html)?.[1]);
    return {
      page,
      action,
      state: action.searchParams.get('state') ?? '',
      manifest: JSON.parse(manifest) as ManifestDocument,
    };
  }

  /** Opens the link of an installation. @returns where the browser is sent */
  async openInstall(goUrl: string): Promise<URL> {
    const answer = await this.get(goUrl);
    if (answer.status !== 302) throw new Error(`the link answered ${answer.status}: ${await answer.text()}`);
    return new URL(answer.headers.get('location') ?? '');
  }

  private keep(line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (value === '') this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}

function unescaped(text: string | undefined): string {
  if (text === undefined) throw new Error('the page has no such form');
  return text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<').replaceAll('&amp;', '&');
}
