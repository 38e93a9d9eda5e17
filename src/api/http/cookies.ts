/** Null when the request carries none of that name, or several: then it is unknown which one came from us. */
export function readCookie(header: string | undefined, name: string): string | null {
  const values = (header ?? '')
    .split(';')
    .map((pair) => pair.trim().split('='))
    .filter(([given]) => given === name)
    .map(([, ...value]) => value.join('='));
  const [value] = values;
  return values.length === 1 && value !== undefined && value !== '' ? value : null;
}

/**
 * A `Set-Cookie` that scripts, other sites' requests and plain http do not get.
 *
 * @param name begins with `__Host-`
 * @param maxAgeSecs 0 clears it
 */
export function hostCookie(name: string, value: string, maxAgeSecs: number): string {
  return `${name}=${value}; HttpOnly; SameSite=Lax; Secure; Path=/; Max-Age=${maxAgeSecs}`;
}
