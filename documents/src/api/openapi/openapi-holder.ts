/** What a request of a route may carry besides its members, which its DTO names. */
export interface DescribedOperation {
  query: ReadonlySet<string>;
  takesBody: boolean;
}

interface Description {
  paths: Record<string, Record<string, { parameters?: { name: string; in: string }[]; requestBody?: object }>>;
}

/** The description of the interface as it is served; built once, when all controllers are known. */
export class OpenApiHolder {
  #json = '{}';
  #operations = new Map<string, DescribedOperation>();

  get json(): string {
    return this.#json;
  }

  set(document: object): void {
    this.#json = JSON.stringify(document);
    const { paths } = document as Description;
    const operations = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, { parameters = [], requestBody }]) => {
        const query = new Set(parameters.filter((one) => one.in === 'query').map(({ name }) => name));
        return [`${method.toUpperCase()} ${path}`, { query, takesBody: requestBody !== undefined }] as const;
      }),
    );
    this.#operations = new Map(operations);
  }

  /** @param route as it is registered, `/api/projects/:id`; null for one that is not described */
  find(method: string, route: string): DescribedOperation | null {
    return this.#operations.get(`${method} ${route.replace(/:(\w+)/g, '{$1}')}`) ?? null;
  }
}
