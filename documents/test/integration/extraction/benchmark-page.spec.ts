import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { pageHead } from '../../support/extraction/page-head.js';

const page = readFileSync(new URL('../../../docs/benchmark.md', import.meta.url), 'utf8');

describe('the page of what extraction finds', () => {
  it('was made for the weights of this version, by the command that it names', () => {
    expect(page).toContain(pageHead());
  });

  it('says every goal with what was measured, and why those that are missed are', () => {
    const goals = page.slice(page.indexOf('## Goals'), page.indexOf('## By class')).split('\n');
    const rows = goals.filter((line) => / \| (?:yes|no) \|$/u.test(line));
    expect(rows.length).toBeGreaterThanOrEqual(16);
    for (const row of rows.filter((line) => line.endsWith(' | no |'))) {
      expect(goals).toContain(`### Why ${row.split(' | ')[0]?.slice(2) ?? ''} is missed`);
    }
  });

  it('names no place of a machine', () => {
    expect(page).not.toMatch(/(?:\/work|\/root|\/home|\/tmp)\b/u);
  });
});
