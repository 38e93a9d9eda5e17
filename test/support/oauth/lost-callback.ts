import type { Page } from 'playwright-core';
import type { PublicDoor } from './public-door.js';

/**
 * Closes the door and lets `leave` send the browser of `page` to a callback behind it: the address, which is still unused,
 * and another tab of the same browser. The tab of `page` may still be on its way to Chromium's error page, which would
 * interrupt its next navigation.
 */
export async function lostCallback(
  page: Page,
  door: PublicDoor,
  leave: () => Promise<void>,
): Promise<{ callback: string; nextTab: Page }> {
  const failed = page.waitForEvent('requestfailed', (request) => request.url().startsWith(door.url));
  door.close();
  await leave();
  const callback = (await failed).url();
  return { callback, nextTab: await page.context().newPage() };
}
