import type { Command, Pipeline, Redirect, SyntaxNode, Word } from 'unbash';
import { forEachChild, parse } from 'unbash';
import { WORKSPACE_ROOT } from '../paths/path.js';
import { ArithmeticNames } from './arithmetic.js';
import { bashOnly } from './bash-only.js';
import { readLine } from './language/line-reader.js';
import { SecondReading } from './language/second-reading.js';
import type { ShellCommand, ShellLine, ShellRedirect } from './effects/shell-line.js';
import type { Chain, CommandSink } from './simple-commands.js';
import { SimpleCommands, wordsOf } from './simple-commands.js';
import type { ShellWord } from './words/shell-word.js';
import { isPlain, literalValue } from './words/shell-word.js';
import { WorkingDirectories } from './working-directory.js';

/** Nested shells in shells; the parser itself bounds everything else. */
const MAX_SHELL_DEPTH = 4;
/** UTF-16 units of a line that is parsed. */
const MAX_LENGTH = 262_144;
/** Substitutions and here-documents that a line may open; the parser's recovery from unclosed ones is quadratic. */
const MAX_SUBSTITUTIONS = 1000;
const MAY_OPEN = /[$`<>]/;
const SUBSTITUTION = /[$<>]\(|\$\{|\$\[|`|<</g;
/** Deeper trees are not walked. */
const MAX_NODE_DEPTH = 400;
/** Files that exist in bash alone and open a socket to any host. */
const NETWORK = /^\/dev\/(?:tcp|udp)\//;
const OUTPUT = /^\/dev\/std(?:out|err)$/;
/** UTF-16 units of all the texts on which deny patterns run. */
const MAX_DENY_LENGTH = 4 * MAX_LENGTH;
/** Files that a line may open by itself. */
const MAX_FILES = 1000;

/**
 * Finds the simple commands, redirects and parts of a bash line (docs/shell-analysis.md). Never throws. A line that is not written
 * in the small language of that page cannot be judged by its parts and has a `problem`; what the parser found is listed all the
 * same, since deny patterns still run on it.
 * @param directory Absolute directory in which the line runs; null when it is not known.
 */
export function analyseLine(command: string, directory: string | null = WORKSPACE_ROOT): ShellLine {
  return new LineAnalysis(directory).run(command);
}

class LineAnalysis implements CommandSink {
  private problem: string | null = null;
  private readonly commands: ShellCommand[] = [];
  private readonly redirects: ShellRedirect[] = [];
  private readonly denyTexts = new Set<string>();
  private readonly names = new ArithmeticNames();
  private readonly directories: WorkingDirectories;
  private readonly simple = new SimpleCommands(this);
  private loops = false;
  private denyLength = 0;

  constructor(directory: string | null) {
    this.directories = new WorkingDirectories(directory);
  }

  run(command: string): ShellLine {
    this.script(command, 0, false);
    this.refuse(this.names.problem());
    if (this.redirects.some(({ access }) => access === 'read')) this.forgetStandardOutput();
    if (this.loops && this.directories.hasChanged) this.forgetRelativeRedirects();
    return {
      problem: this.problem,
      commands: this.commands,
      redirects: this.redirects,
      denyTexts: [...this.denyTexts],
    };
  }

  add(command: ShellCommand): void {
    this.commands.push(command);
  }

  refuse(why: string | null): void {
    this.problem ??= why;
  }

  changeDirectory(words: readonly ShellWord[]): void {
    this.directories.change(words);
  }

  assigned(): void {
    this.names.assigned();
  }

  /** Parts of parts of a deeply nested line would be many times the line itself. */
  denyText(text: string): void {
    if (this.denyTexts.has(text)) return;
    this.denyLength += text.length;
    if (this.denyLength > MAX_DENY_LENGTH) this.refuse('the parts of the line are longer than can be judged');
    else this.denyTexts.add(text);
  }

  /** `/dev/stdout` may be a file that a redirect of the line has put in its place. */
  private forgetStandardOutput(): void {
    for (const redirect of this.redirects) {
      redirect.candidates = redirect.candidates.map((candidate) =>
        OUTPUT.test(candidate.path ?? '') ? { text: candidate.text, path: null } : candidate,
      );
    }
  }

  script(text: string, shellDepth: number, posix: boolean): void {
    this.denyText(text.trim());
    const excess = shellDepth > MAX_SHELL_DEPTH ? 'shells nest too deeply' : excessOf(text);
    if (excess !== null) {
      this.refuse(excess);
      return;
    }
    const second = new SecondReading();
    try {
      this.visit(parse(text), { source: text, shellDepth, posix, second }, 0, null);
    } catch (error) {
      // The parser recurses without a bound of its own.
      if (!(error instanceof RangeError)) throw error;
      this.refuse('the line nests too deeply');
      return;
    }
    const understood = readLine(text);
    if (typeof understood === 'string') {
      this.refuse(understood);
      return;
    }
    if (understood.canonical !== text) this.denyText(understood.canonical);
    this.refuse(second.problem(understood));
  }

  /** @param chain That of a command directly beneath. */
  private visit(node: SyntaxNode, script: Script, depth: number, chain: Chain): void {
    // Most nodes are words without anything in them, of which no other reader takes note.
    if (node.type === 'Word') {
      if (isPlain(node.text)) return;
      if (node.parts === undefined) {
        this.noteLiteral(node);
        return;
      }
    }
    if (depth > MAX_NODE_DEPTH) {
      this.refuse('the line nests too deeply');
      return;
    }
    if (script.posix) this.refuse(bashOnly(node));
    this.names.note(node);
    const within = node.type === 'Script' && node.source !== undefined ? { ...script, source: node.source } : script;
    this.visitKind(node, script, chain);
    const inner = node.type === 'Pipeline' && isPlainChain(node) ? [] : null;
    const first = this.commands.length;
    forEachChild(node, (child) => this.visit(child, within, depth + 1, inner));
    if (node.type === 'Pipeline' && node.prefixes.some((prefix) => prefix.type === 'Time')) {
      this.simple.addTimeKeyword(this.commands[first]);
    }
  }

  private visitCommand(node: Command, script: Script, chain: Chain): void {
    const words = wordsOf(node);
    script.second.command(node, words);
    this.simple.visit(node, words, script.source, script.shellDepth, chain);
  }

  private visitKind(node: SyntaxNode, script: Script, chain: Chain): void {
    switch (node.type) {
      case 'Command':
        this.visitCommand(node, script, chain);
        break;
      case 'Word':
        this.noteLiteral(node);
        break;
      case 'HereString':
        script.second.redirect(node);
        break;
      case 'Redirect':
        script.second.redirect(node);
        this.visitRedirect(node);
        break;
      case 'For':
      case 'While':
      case 'Select':
      case 'ArithmeticFor':
        this.loops = true;
        break;
      default:
        break;
    }
  }

  /** Quotes inside a word must not hide it from a deny pattern. */
  private noteLiteral(word: Word): void {
    const value = literalValue(word);
    if (value !== null && value !== word.text) this.denyText(value);
  }

  private visitRedirect(node: Redirect): void {
    if (node.target === undefined || node.target.parts?.[0]?.type === 'ProcessSubstitution') return;
    const path = literalValue(node.target);
    if ((node.operator === '<&' || node.operator === '>&') && path !== null && /^(?:\d+-?|-)$/.test(path)) return;
    if (path !== null && NETWORK.test(path)) this.refuse('a redirect that opens a network connection');
    const text = `${node.operator} ${node.target.text}`;
    if (node.operator !== '<' && node.operator !== '<&') this.file('write', text, path);
    if (node.operator.startsWith('<')) this.file('read', text, path);
  }

  file(access: 'write' | 'read', text: string, path: string | null): void {
    if (path === '/dev/null') return;
    if (this.redirects.length >= MAX_FILES) {
      this.refuse(`the line names more than ${MAX_FILES} files`);
      return;
    }
    this.redirects.push({ access, text, candidates: this.directories.resolve(path, text) });
  }

  /** In a loop a `cd` may come before a redirect that stands above it, and more than once. */
  private forgetRelativeRedirects(): void {
    for (const redirect of this.redirects) {
      redirect.candidates = redirect.candidates.map((candidate) =>
        candidate.text.startsWith('/') ? candidate : { text: candidate.text, path: null },
      );
    }
  }
}

/** What makes a line too large to parse in bounded time, or null. */
function excessOf(text: string): string | null {
  if (text.length > MAX_LENGTH) return `the line is longer than ${MAX_LENGTH} characters`;
  const opened = MAY_OPEN.test(text) ? (text.match(SUBSTITUTION)?.length ?? 0) : 0;
  return opened > MAX_SUBSTITUTIONS
    ? `the line opens more than ${MAX_SUBSTITUTIONS} substitutions and here-documents`
    : null;
}

/** Whether commands of the pipeline may be covered by a prefix that is a pipeline itself. */
function isPlainChain({ prefixes, commands }: Pipeline): boolean {
  return prefixes.length === 0 && commands.every((command) => command.type === 'Command');
}

/** A text that is visited: the line, or what a shell in it is given. */
interface Script {
  source: string;
  shellDepth: number;
  /** Whether a shell reads it that knows less than bash. */
  posix: boolean;
  /** What the parser finds, to be held against what the reader of the language understands. */
  second: SecondReading;
}
