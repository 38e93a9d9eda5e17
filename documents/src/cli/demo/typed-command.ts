import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../../../../../documents/bin/docsvc.mjs', import.meta.url));

/** What a command came to. */
export interface Typed {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** The real `docsvc` command, as a person types it in one folder. */
export class TypedCommands {
  /** @param env beside PATH and HOME: where the API is, and who asks */
  constructor(
    private readonly folder: string,
    private readonly env: NodeJS.ProcessEnv,
    private readonly show: (line: string) => void,
  ) {}

  /** Runs a command that is to succeed, and shows it. @throws Error with what it said otherwise */
  async run(argv: readonly string[]): Promise<Typed> {
    this.show(`$ docsvc ${argv.map(quoted).join(' ')}`);
    const ran = await this.start(argv);
    if (ran.code === 0) return ran;
    throw new Error(`docsvc ${argv[0]} ended with ${ran.code}:\n${ran.stderr}`);
  }

  /** {@link run} with JSON as its output. */
  async json<T>(argv: readonly string[]): Promise<T> {
    return JSON.parse((await this.run([...argv, '--output', 'json'])).stdout) as T;
  }

  private start(argv: readonly string[]): Promise<Typed> {
    const child = spawn(process.execPath, [PROGRAM, ...argv], {
      cwd: this.folder,
      env: { PATH: process.env['PATH'], HOME: this.folder, ...this.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    return new Promise((done, fail) => {
      child.once('error', fail);
      child.once('close', (code) => done({ code, stdout, stderr }));
    });
  }
}

function quoted(word: string): string {
  if (/^[\w./:=,-]+$/.test(word)) return word;
  return word.includes('"') ? `'${word}'` : `"${word}"`;
}
