interface Route {
  pattern: RegExp;
  methods: Set<string>;
}

/** The routes that the server has, so that a wrong method can be told from an unknown address. */
export class RouteTable {
  readonly #routes = new Map<string, Route>();

  /** Called for each route as the server registers it. */
  add(url: string, methods: string | string[]): void {
    const route = this.#routes.get(url) ?? { pattern: toPattern(url), methods: new Set<string>() };
    for (const method of [methods].flat()) route.methods.add(method);
    this.#routes.set(url, route);
  }

  /** Every route as it was registered, `GET /api/projects/:id`, in the order of their names. */
  names(): string[] {
    return [...this.#routes].flatMap(([url, { methods }]) => [...methods].map((method) => `${method} ${url}`)).sort();
  }

  /** The methods that an address takes, as the `Allow` header says them; null for an unknown address. */
  allowed(requestUrl: string): string | null {
    const path = requestUrl.split('?', 1)[0] ?? '';
    const methods = [...this.#routes.values()]
      .filter(({ pattern }) => pattern.test(path))
      .flatMap((route) => [...route.methods]);
    return methods.length === 0 ? null : [...new Set(methods)].sort().join(', ');
  }
}

function toPattern(url: string): RegExp {
  const parts = url.split('/').map((part) => {
    if (part.startsWith(':')) return '[^/]+';
    return part === '*' ? '.*' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('/')}$`);
}
