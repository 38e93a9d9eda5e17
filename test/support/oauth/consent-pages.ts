import type { Page } from 'playwright-core';

/** Reads the page of the flow and clicks: on to the authorization server. */
export async function leave(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.getByRole('button', { name: /^Continue to / }).click();
}

/** Signs in at the authorization server. */
export async function signIn(page: Page): Promise<void> {
  await page.locator('input[name=login]').fill('ada');
  await page.locator('input[name=password]').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
}

/** Grants. Not the button of the page before, whose name only begins like this one's. */
export const consent = (page: Page): Promise<void> =>
  page.getByRole('button', { name: 'Continue', exact: true }).click();

export const heading = (page: Page): Promise<string> => page.getByRole('heading', { level: 1 }).innerText();
