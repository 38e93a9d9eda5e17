import { expect } from '@jest/globals';

/** What no refusal may repeat: a text of a server or of a person, as it came. */
export const MARK = '<i>UPSTREAM-WORDS</i>';

/** The page says why in its own words, leads nowhere and repeats nothing. */
export async function refused(answer: Response, status: number, text: RegExp): Promise<void> {
  const page = await answer.text();
  expect([answer.status, page]).toEqual([status, expect.stringMatching(text)]);
  expect(page).toContain('<h1>Connection failed</h1>');
  expect(page).not.toContain('UPSTREAM-WORDS');
  expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'; .*form-action 'none'$/);
}
