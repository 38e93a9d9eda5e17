interface Route {
  pattern: RegExp;
  methods: Set<string>;
}

/** The routes that the server has, so that a wrong method can be told from an unknown path. */
export class RouteTable {
  readonly #routes = new Map<string, Route>();

  /** Called for each route as the server registers it. */
  add(url: string, methods: string | string[]): void {
    const route = this.#routes.get(url) ?? { pattern: toPattern(url), methods: new Set<string>() };
    for (const method of [methods].flat()) route.methods.add(method);
    this.#routes.set(url, route);
  }

  /** Every route as it was registered, `GET /v1/agents/:id`, in order of their names. */
  names(): string[] {
    return [...this.#routes].flatMap(([url, { methods }]) => [...methods].map((method) => `${method} ${url}`)).sort();
  }

  /** The methods that a request path takes, as the `Allow` header says them; null for an unknown path. */
  allowed(requestUrl: string): string | null {
    const path = requestUrl.split('?', 1)[0] ?? '';
    const methods = [...this.#routes.values()]
      .filter((route) => route.pattern.test(path))
      .flatMap((route) => [...route.methods]);
    return methods.length === 0 ? null : [...new Set([...methods, 'OPTIONS'])].sort().join(', ');
  }
}

function toPattern(url: string): RegExp {
  const source = url
    .split('/')
    .map((part) => {
      if (part.startsWith(':')) return '[^/]+';
      return part === '*' ? '.*' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    })
    .join('/');
  return new RegExp(`^${source}$`);
}
