import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openBrowser } from './open-browser.js';

let folder: string;
let browser: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sg-browser-'));
  browser = join(folder, 'browser');
  writeFileSync(
    browser,
    `#!/bin/sh\nprintf '%s\\n' "$@" > ${join(folder, 'opened.part')}\nmv ${join(folder, 'opened.part')} ${join(folder, 'opened')}\n`,
  );
  chmodSync(browser, 0o755);
});
afterAll(() => rmSync(folder, { recursive: true }));

async function opened(): Promise<string> {
  const path = join(folder, 'opened');
  for (let waited = 0; !existsSync(path) && waited < 60_000; waited += 20) await sleep(20);
  return readFileSync(path, 'utf8');
}

describe('opening a browser', () => {
  it('hands the address over as one argument, through no shell', async () => {
    const url = 'http://127.0.0.1:8787/v1/oauth/go?f=a&b=$(touch%20x);`id`';
    expect(await openBrowser(url, { BROWSER: `${browser} --new-window %s` })).toBe(true);
    expect(await opened()).toBe(`--new-window\n${url}\n`);
  });

  it('says when there is none: no program, no display', async () => {
    expect(await openBrowser('https://x.example', { BROWSER: join(folder, 'missing') })).toBe(false);
    expect(await openBrowser('https://x.example', {}, 'linux')).toBe(false);
  });

  it.each(['file:///etc/passwd', 'javascript:alert(1)', '--help', ''])('never opens %s', async (url) => {
    expect(await openBrowser(url, { BROWSER: browser })).toBe(false);
  });
});
