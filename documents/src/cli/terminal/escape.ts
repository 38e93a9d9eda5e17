/** Characters that make a terminal do or show something else than the text says, or that hide. */
const UNSAFE =
  /\p{Cc}|[\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Co}\u{115F}\u{1160}\u{3164}\u{FFA0}\u{2800}]|\u{034F}|[\u{FE00}-\u{FE0F}]|[\u{180B}-\u{180F}]|[\u{E0100}-\u{E01EF}]/gu;
const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\u001b': '\\e' };

/** One line of foreign text that is safe to print: what could steer a terminal is written as an escape. */
export function inline(text: string): string {
  return text.replace(UNSAFE, (char) => NAMED[char] ?? `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
}

/** Foreign text of several lines: line feeds and tabs stay. */
export function block(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line) => line.split('\t').map(inline).join('\t'))
    .join('\n');
}

/** {@link inline}, cut to a number of characters. */
export function short(text: string, length: number): string {
  const characters = [...inline(text)];
  return characters.length <= length ? characters.join('') : `${characters.slice(0, length - 1).join('')}…`;
}

/** JSON whose strings hold nothing that steers a terminal, and say the same. */
export function safeJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(UNSAFE, (char) =>
    char === '\n'
      ? char
      : char
          .split('')
          .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
          .join(''),
  );
}
