/** Room for a suffix below the 64 characters of a slug. */
const MAX_STEM = 58;

/** The slug that a title suggests, or `fallback` when no character of it is allowed in one (docs/design/connections.md). */
export function slugOf(title: string, fallback: string): string {
  const stem = title
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, MAX_STEM)
    .replace(/-+$/, '');
  return stem === '' ? fallback : stem;
}

/** The first of `stem`, `stem-2`, `stem-3` … that is not taken. */
export function freeSlug(stem: string, isTaken: (slug: string) => boolean): string {
  let slug = stem;
  for (let number = 2; isTaken(slug); number += 1) slug = `${stem}-${number}`;
  return slug;
}
