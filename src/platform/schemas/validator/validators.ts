import { readAsDoubles } from '../../../domain/digest/doubles-around.js';
import { parseJsonPreservingNumbers } from '../../../domain/digest/parse-json.js';
import { joinPointers, type SchemaFinding } from '../../../domain/gate/schema-finding.js';
import type { JsonObject } from '../../../domain/json.js';
import type { SchemaJob } from '../schema-job.js';
import { compileSchema, type Validator } from './compile-schema.js';

const MAX_VALIDATORS = 256;
/** Of schema text: compiled code is many times as long and has to fit the thread's heap. */
const MAX_SCHEMA_CHARACTERS = 1_048_576;

interface Compiled {
  validate: Validator;
  characters: number;
}

/** Compiled schemas of one thread, the latest used of them (docs/design/gate.md). */
export class Validators {
  /** In order of use, the latest last. */
  private readonly compiled = new Map<string, Compiled>();
  private characters = 0;

  /** Never throws: a schema that does not compile, or whose validator fails, is unusable. */
  check(job: SchemaJob): SchemaFinding {
    let validate: Validator;
    try {
      validate = this.get(job);
    } catch {
      return { kind: 'unusable', reason: 'it does not compile' };
    }
    try {
      const readings = readAsDoubles(parseJsonPreservingNumbers(job.input));
      const paths = readings.flatMap((reading) => validate(reading));
      return paths.length === 0 ? { kind: 'valid' } : { kind: 'rejected', pointers: joinPointers(paths) };
    } catch {
      return { kind: 'unusable', reason: 'its validator failed' };
    }
  }

  private get({ key, dialect, schema }: SchemaJob): Validator {
    const known = this.compiled.get(key);
    if (known !== undefined) {
      this.compiled.delete(key);
      this.compiled.set(key, known);
      return known.validate;
    }
    const validate = compileSchema(JSON.parse(schema) as JsonObject, dialect);
    this.compiled.set(key, { validate, characters: schema.length });
    this.characters += schema.length;
    this.forgetOldest();
    return validate;
  }

  private forgetOldest(): void {
    for (const [key, { characters }] of this.compiled) {
      const few = this.compiled.size <= MAX_VALIDATORS && this.characters <= MAX_SCHEMA_CHARACTERS;
      if (few || this.compiled.size === 1) return;
      this.compiled.delete(key);
      this.characters -= characters;
    }
  }
}
