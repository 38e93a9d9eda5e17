import { expect } from '@jest/globals';
import type { Schemas } from '../../../src/client/client.js';
import type { JsonObject } from '../../../src/domain/json.js';
import { startApi, type Answer, type TestApi } from '../api/api.js';

/** A policy with one rule and a comment. */
export const yamlOf = (name: string, action = 'allow'): string =>
  `# kept\nname: ${name}\ntools:\n  - {match: [Read], action: ${action}}\n`;

/** Policies through the API. */
export class PoliciesBench {
  private names = 0;

  private constructor(readonly api: TestApi) {}

  static async start(): Promise<PoliciesBench> {
    return new PoliciesBench(await startApi());
  }

  newName(): string {
    return `policy-${(this.names += 1)}`;
  }

  importYaml(name: string, yaml: string): Promise<Answer> {
    return this.api.post('/v1/policies', { name, yaml });
  }

  async read(name: string): Promise<Schemas['PolicyDetail']> {
    return (await this.api.get(`/v1/policies/${name}`)).body as unknown as Schemas['PolicyDetail'];
  }

  publish(name: string, base: number, content: JsonObject = {}, summary = 'tighter'): Promise<Answer> {
    const body = { content: { name, ...content }, summary, base_version: base };
    return this.api.post(`/v1/policies/${name}/publish`, body);
  }

  /** The name of a new policy. */
  async made(): Promise<string> {
    const name = this.newName();
    expect((await this.importYaml(name, yamlOf(name))).status).toBe(200);
    return name;
  }
}
