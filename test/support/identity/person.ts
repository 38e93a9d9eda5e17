import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { Companies } from './companies.js';
import { newAddress } from './sign-in-bench.js';

/** What `/v1/auth/me` says, to somebody or to nobody. */
export interface Me {
  user_id?: string;
  org?: { slug: string };
  user?: { email?: string };
  roles?: string[];
  error?: string;
}

/** An answer of the API, as a page of ours sees it. */
export interface Heard {
  status: number;
  text: string;
  endSession: string | null;
}

/** An event stream that a page follows: when it was closed, by the clock of the browser, and what came of it until then. */
export interface FollowedStream {
  text: () => Promise<string>;
  closedAt: () => Promise<number | null>;
}

interface StreamWindow {
  heard: string;
  closedAt: number | null;
}

/** A person with a browser of their own, at an address of their own, before Sandgate and the provider of their company. */
export class Person {
  private constructor(
    private readonly at: { ours: string; companies: Companies },
    private readonly context: BrowserContext,
    readonly page: Page,
  ) {}

  static async with(browser: Browser, at: { ours: string; companies: Companies }): Promise<Person> {
    const context = await browser.newContext({ extraHTTPHeaders: { 'x-forwarded-for': newAddress() } });
    context.setDefaultTimeout(45_000);
    return new Person(at, context, await context.newPage());
  }

  /** From our page through the provider's to ours again. @param company whose password it is, where it is not the slug */
  async signIn(slug: string, name: string, company = slug): Promise<void> {
    await this.page.goto(`${this.at.ours}/v1/auth/login?redirect_to=/v1/auth/me`);
    await this.page.getByLabel('Organization').fill(slug);
    await this.page.getByRole('button', { name: 'Continue' }).click();
    await this.enter(this.page, name, company);
  }

  /** Begins to sign in, in this tab or another, and stays where that leads. */
  async begin(slug: string, tab = this.page): Promise<void> {
    await tab.goto(`${this.at.ours}/v1/auth/login/${slug}/start?redirect_to=/v1/auth/me`);
  }

  /** Fills in what the provider asks for, if it asks. */
  async enter(tab: Page, name: string, company: string): Promise<void> {
    const back = tab.waitForURL(`${this.at.ours}/**`);
    const asked = this.at.companies.asksForName(tab).then(
      () => true,
      () => false,
    );
    const isAsked = await Promise.race([asked, back.then(() => false)]).catch(async (cause: unknown) => {
      throw new Error(`the provider shows: ${await tab.locator('body').innerText()}`, { cause });
    });
    if (isAsked) await this.at.companies.enter(tab, name, company);
    await back;
  }

  async tab(): Promise<Page> {
    return this.context.newPage();
  }

  async me(): Promise<Me> {
    return JSON.parse((await this.ask('GET', '/v1/auth/me')).text) as Me;
  }

  /** Asks the API from a page of ours, with the session of this browser. */
  async ask(method: string, path: string, body?: object): Promise<Heard> {
    const tab = await this.dashboard();
    const heard = await tab.evaluate(
      async ([how, where, sent]) => {
        const headers = { 'x-service-csrf': '1', ...(sent === null ? {} : { 'content-type': 'application/json' }) };
        const answer = await fetch(where, { method: how, headers, body: sent });
        const { status } = answer;
        return { status, text: await answer.text(), endSession: answer.headers.get('x-service-end-session') };
      },
      [method, path, body === undefined ? null : JSON.stringify(body)] as const,
    );
    await tab.close();
    return heard;
  }

  /** Follows the events of a run in a tab that stays open. */
  async follow(runId: string): Promise<FollowedStream> {
    const tab = await this.dashboard();
    await tab.evaluate((path) => {
      const own = globalThis as unknown as StreamWindow;
      Object.assign(own, { heard: '', closedAt: null });
      const read = async (): Promise<void> => {
        const { body } = await fetch(path);
        if (body === null) throw new Error('no stream');
        const reader = body.pipeThrough(new TextDecoderStream()).getReader();
        for (let part = await reader.read(); !part.done; part = await reader.read()) own.heard += part.value;
      };
      void read().finally(() => (own.closedAt = Date.now()));
    }, `/v1/sessions/${runId}/events/stream`);
    return {
      text: () => tab.evaluate(() => (globalThis as unknown as StreamWindow).heard),
      closedAt: () => tab.evaluate(() => (globalThis as unknown as StreamWindow).closedAt),
    };
  }

  close(): Promise<void> {
    return this.context.close();
  }

  /** A page of ours that may ask the API; those of the API itself may not. */
  private async dashboard(): Promise<Page> {
    const tab = await this.context.newPage();
    const address = `${this.at.ours}/dashboard`;
    await tab.route(address, (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }));
    await tab.goto(address);
    return tab;
  }
}
