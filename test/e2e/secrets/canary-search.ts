import { randomBytes } from 'node:crypto';

/** A word that occurs nowhere by chance, named after where it was planted. */
export function makeCanary(place: string): string {
  return `canary-${place}-${randomBytes(9).toString('hex')}`;
}

/** The ways in which a text hides in bytes: as it is, in UTF-16, in hexadecimal, percent-encoded, and in base64 at each alignment. */
function formsOf(canary: string): Buffer[] {
  const bytes = Buffer.from(canary);
  const hex = bytes.toString('hex');
  const aligned = [0, 1, 2].map((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64');
    // The characters at both ends depend on the neighbours.
    return encoded.slice(shift === 0 ? 0 : 4, Math.floor(((shift + bytes.length) * 8) / 24) * 4);
  });
  const urlSafe = aligned.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  const texts = [canary, hex, hex.toUpperCase(), encodeURIComponent(canary), canary.split('').reverse().join('')];
  return [...[...texts, ...aligned, ...urlSafe].map((text) => Buffer.from(text)), Buffer.from(canary, 'utf16le')];
}

export interface Haystack {
  name: string;
  bytes: Buffer;
}

/** Names of the haystacks in which a canary occurs in any form, each once. */
export function placesOf(canary: string, haystacks: readonly Haystack[]): string[] {
  const forms = formsOf(canary);
  const found = haystacks.filter(({ bytes }) => forms.some((form) => bytes.includes(form)));
  return [...new Set(found.map(({ name }) => name))];
}
