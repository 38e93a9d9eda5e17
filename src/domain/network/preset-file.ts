import { isCollection, isMap, isScalar, LineCounter, parseDocument, type Document, type Node } from 'yaml';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.js';
import { didYouMean } from '../nearest-name.js';
import {
  isPresetName,
  PRESET_VARIABLES,
  unknownPreset,
  type Preset,
  type PresetName,
  type Presets,
  type PresetTable,
} from './presets.js';
import { describeTarget, parseTarget, type NameTarget } from './target.js';

const MAX_TARGETS = 256;
const MAX_VALUE_CHARS = 2048;
const SECTIONS = ['presets', 'organizations'];
const MEMBERS = ['targets', 'variables'];
const SLUG = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** Members on the way to a value. */
type Way = readonly (string | number)[];

/**
 * Reads the file that says which hosts the presets mean (docs/design/network.md): YAML 1.2, every member known.
 * @throws Error that begins with the line at fault
 */
export function parsePresetFile(text: string): PresetTable {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    version: '1.2',
    schema: 'core',
    merge: false,
    strict: true,
    lineCounter: lines,
    prettyErrors: false,
    logLevel: 'error',
  });
  const [problem] = [...document.errors, ...document.warnings];
  if (problem !== undefined) throw new Error(`line ${lines.linePos(problem.pos[0]).line}: ${problem.message}`);
  return new PresetFile(document, lines).read();
}

class PresetFile {
  constructor(
    private readonly document: Document.Parsed,
    private readonly lines: LineCounter,
  ) {}

  read(): PresetTable {
    const root = this.object(this.document.toJS({ maxAliasCount: 100 }) as JsonValue, [], SECTIONS);
    const organizations = this.object(root['organizations'] ?? {}, ['organizations']);
    return {
      presets: this.presets(root['presets'] ?? {}, ['presets']),
      organizations: new Map(
        Object.entries(organizations).map(([slug, value]) => {
          if (!SLUG.test(slug)) this.fail(['organizations', slug], 'is no slug of an organization');
          return [slug, this.presets(value, ['organizations', slug])];
        }),
      ),
    };
  }

  private presets(value: JsonValue, way: Way): Presets {
    const entries = Object.entries(this.object(value, way)).map(([name, preset]) => {
      if (!isPresetName(name)) return this.fail([...way, name], unknownPreset(name));
      return [name, this.preset(name, preset, [...way, name])] as const;
    });
    return Object.fromEntries(entries);
  }

  private preset(name: PresetName, value: JsonValue, way: Way): Preset {
    const { targets, variables } = this.object(value, way, MEMBERS);
    return {
      targets: this.targets(targets, [...way, 'targets']),
      variables: this.variables(name, variables ?? {}, [...way, 'variables']),
    };
  }

  private targets(value: JsonValue | undefined, way: Way): NameTarget[] {
    if (!Array.isArray(value) || value.length === 0 || value.length > MAX_TARGETS)
      return this.fail(way, `must be a list of 1 to ${MAX_TARGETS} targets host:port or *.suffix:port`);
    const targets = value.map((text, index) => {
      const target = typeof text === 'string' ? parseTarget(text) : 'must be a text';
      return typeof target === 'string' ? this.fail([...way, index], target) : target;
    });
    return [...new Map(targets.map((target) => [describeTarget(target), target])).values()];
  }

  private variables(name: PresetName, value: JsonValue, way: Way): Record<string, string> {
    const known = PRESET_VARIABLES[name];
    const variables = this.object(value, way);
    for (const [variable, text] of Object.entries(variables)) {
      const at = [...way, variable];
      if (!known.includes(variable)) this.fail(at, describeUnknownVariable(name, variable, known));
      if (typeof text !== 'string' || text === '' || text.length > MAX_VALUE_CHARS || /\p{Cc}/u.test(text))
        this.fail(at, `must be a text of 1 to ${MAX_VALUE_CHARS} characters without control characters`);
    }
    return variables as Record<string, string>;
  }

  /** @param members those that it may have; any without */
  private object(value: JsonValue | undefined, way: Way, members?: readonly string[]): JsonObject {
    if (!isJsonObject(value)) return this.fail(way, `must have ${(members ?? ['entries']).join(' and ')}`);
    const unknown = Object.keys(value).find((member) => members?.includes(member) === false);
    if (unknown === undefined) return value;
    return this.fail([...way, unknown], `is not known${didYouMean(unknown, members ?? [])}`);
  }

  private fail(way: Way, problem: string): never {
    const place = way.length === 0 ? 'the document' : way.join('.');
    throw new Error(`line ${this.lineOf(way)}: ${place} ${problem}`);
  }

  /** Of the last key on the way that the text has. */
  private lineOf(way: Way): number {
    let node: Node | null = this.document.contents;
    let start = node?.range?.[0] ?? 0;
    for (const step of way) {
      const key: unknown = isMap(node)
        ? node.items.find((pair) => isScalar(pair.key) && String(pair.key.value) === String(step))?.key
        : undefined;
      const next: unknown = isCollection(node) ? node.get(step, true) : undefined;
      start = (key as Node | undefined)?.range?.[0] ?? (next as Node | undefined)?.range?.[0] ?? start;
      node = (next as Node | undefined) ?? null;
    }
    return this.lines.linePos(start).line;
  }
}

function describeUnknownVariable(name: PresetName, variable: string, known: readonly string[]): string {
  if (known.length === 0) return `is not possible: the tools of ${name} take no address from a variable`;
  return `is not a variable of ${name}; there are ${known.join(', ')}${didYouMean(variable, known)}`;
}
