import { describe, expect, it } from '@jest/globals';
import { summaryForPage } from './summary-for-page.js';

describe('a summary on a page of the code host', () => {
  it('keeps Markdown, code with angle brackets included', () => {
    const text =
      '## Done\n\n- `Map<string, T>` and ``a ` <b>`` are *fine*\n\n```ts\nconst a: Array<string> = [];\n```\n\nx < y';
    expect(summaryForPage(text)).toBe(text);
  });

  it('shows HTML that would be obeyed', () => {
    expect(summaryForPage('<details>\n<!-- hidden\n<?php </b> <!DOCTYPE>')).toBe(
      '&lt;details>\n&lt;!-- hidden\n&lt;?php &lt;/b> &lt;!DOCTYPE>',
    );
    expect(summaryForPage('\\`<b>\\` and ` <b>')).toBe('\\`&lt;b>\\` and \\` &lt;b>');
    expect(summaryForPage('a ` b\n` <b> ` c')).toBe('a \\` b\n` <b> ` c');
  });

  it('closes a code block that was left open, with a fence of its own length', () => {
    expect(summaryForPage('a\n~~~~\n<b>\n~~~')).toBe('a\n~~~~\n<b>\n~~~\n~~~~');
    expect(summaryForPage('```\na\n```\n<b>')).toBe('```\na\n```\n&lt;b>');
    expect(summaryForPage('``` a`b\n<b>')).toBe('\\`\\`\\` a\\`b\n&lt;b>');
    expect(summaryForPage('`'.repeat(500))).toBe(`${'`'.repeat(40)}\n${'`'.repeat(40)}`);
  });

  it('HTML behind a code block of a list is shown, and the block is closed where the list ends', () => {
    expect(summaryForPage('- a\n  ```\n  <b>\n<!--')).toBe('- a\n  ```\n  <b>\n  ```\n&lt;!--');
    expect(summaryForPage('1. a\n   ```js\n   x\n   ```\n<!--')).toBe('1. a\n   ```js\n   x\n   ```\n&lt;!--');
    expect(summaryForPage('- a\n  ```\n  x\n\n     ````\n<!--')).toBe('- a\n  ```\n  x\n\n  ````\n&lt;!--');
    expect(summaryForPage('- a\n  ```\n  x')).toBe('- a\n  ```\n  x\n  ```');
  });

  it.each(['- ', '> ', '1) ', '\t', '> - ', '  * '])('a fence behind %j is none', (mark) => {
    expect(summaryForPage(`a\n${mark}\`\`\`\n  \`\`\`\n<!--`)).toBe(
      `a\n${mark}\\\`\\\`\\\`\n  \`\`\`\n  \`\`\`\n&lt;!--`,
    );
  });

  it('begins code that a cut would leave without its end nowhere', () => {
    const grows = '@'.repeat(500) + 'x'.repeat(58_900);
    const text = summaryForPage(`${grows} \`@octocat ${'y'.repeat(500)}\``);
    expect(text.slice(-60)).toMatch(/xx \n\n… \(the summary goes on/);
  });

  it('is at most 60,000 characters long, and says what was left out', () => {
    const whole = '🤖'.repeat(60_000);
    expect(summaryForPage(whole)).toBe(whole);
    for (const long of [
      `${whole}x`,
      '<b'.repeat(59_000),
      `\`\`\`\n${'x'.repeat(70_000)}`,
      '`'.repeat(40) + '\n' + 'x\n'.repeat(29_990),
    ]) {
      const text = summaryForPage(long);
      expect(Array.from(text).length).toBeLessThanOrEqual(60_000);
    }
    expect(summaryForPage(`${whole}x`)).toMatch(/🤖\n\n… \(the summary goes on; the run has all of it\)$/u);
    expect(summaryForPage(`\`\`\`\n${'x'.repeat(70_000)}`)).toMatch(/x\n```\n\n… \(the summary goes on/);
  });
});
