const MAX_SLUG = 63;

/** A short name for addresses, from a name for people: `Über Rechnungen 2` → `uber-rechnungen-2`. */
export function slugOf(name: string): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_SLUG)
    .replace(/^-+|-+$/g, '');
  return slug === '' ? 'workspace' : slug;
}

/** The slug with a number behind it, for a name whose own slug is taken. */
export function numberedSlug(slug: string, number: number): string {
  const suffix = `-${number}`;
  return `${slug.slice(0, MAX_SLUG - suffix.length).replace(/-+$/, '')}${suffix}`;
}
