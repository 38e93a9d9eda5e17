/** `too_large` is a limit of the whole schema; everything else that is wrong with it is `schema_invalid`. */
export type SchemaFaultCode = 'schema_invalid' | 'description_missing' | 'too_large';

/** One thing that is wrong with a schema. */
export interface SchemaFault {
  /** A JSON pointer into the schema as it was given (RFC 6901); empty for the root. */
  path: string;
  code: SchemaFaultCode;
  message: string;
  /** What to write instead; null where only the author knows. */
  suggestion: string | null;
}

const MAX_PATH_SHOWN = 1_000;

/** Collects faults while a schema is walked. */
export class SchemaFaults {
  readonly all: SchemaFault[] = [];

  invalid(path: string, message: string, suggestion: string | null = null): void {
    this.all.push({ path: shown(path), code: 'schema_invalid', message, suggestion });
  }

  undescribed(path: string): void {
    this.all.push({
      path: shown(path),
      code: 'description_missing',
      message: 'has no description; extraction finds a value by what its description says',
      suggestion: 'add "description" with a sentence that says what the value is and how documents name it',
    });
  }

  tooLarge(path: string, message: string, suggestion: string | null = null): void {
    this.all.push({ path, code: 'too_large', message, suggestion });
  }
}

/** Thousands of faults may stand at the end of one long path. */
function shown(path: string): string {
  return path.length <= MAX_PATH_SHOWN ? path : `${path.slice(0, MAX_PATH_SHOWN)}…`;
}
