/** The interface description as it is served; built once, when all controllers are known. */
export class OpenApiHolder {
  #json = '{}';

  get json(): string {
    return this.#json;
  }

  set(document: object): void {
    this.#json = JSON.stringify(document);
  }
}
