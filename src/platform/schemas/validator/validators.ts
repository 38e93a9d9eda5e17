import { LRUCache } from 'lru-cache';
import { readAsDoubles } from '../../../domain/digest/doubles-around.js';
import { parseJsonPreservingNumbers } from '../../../domain/digest/parse-json.js';
import { joinPointers, type SchemaFinding } from '../../../domain/gate/schema-finding.js';
import type { JsonObject } from '../../../domain/json.js';
import type { SchemaJob } from '../schema-job.js';
import { compileSchema, type Validator } from './compile-schema.js';

const MAX_VALIDATORS = 256;
/** Of schema text: compiled code is many times as long and has to fit the thread's heap. */
const MAX_SCHEMA_CHARACTERS = 1_048_576;

/** Compiled schemas of one thread, the latest used of them (docs/design/gate.md). */
export class Validators {
  private readonly compiled = new LRUCache<string, Validator>({ max: MAX_VALIDATORS, maxSize: MAX_SCHEMA_CHARACTERS });

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
    if (known !== undefined) return known;
    const validate = compileSchema(JSON.parse(schema) as JsonObject, dialect);
    this.compiled.set(key, validate, { size: schema.length });
    return validate;
  }
}
