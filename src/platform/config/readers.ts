import { isAbsolute } from 'node:path';
import { isIP } from 'node:net';
import { isUuid } from '../../domain/uuid.js';

/** Turns the text of a variable into its value; throws an `Error` whose message completes "<variable> must be …". */
export interface Reader<T> {
  /** What a value looks like, for messages and for docs/configuration.md. */
  readonly expects: string;
  parse(text: string): T;
}

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Any value that is not blank. */
export const text: Reader<string> = { expects: 'a text', parse: (value) => nonBlank(value, 'a text') };

export function oneOf<const T extends readonly string[]>(...values: T): Reader<T[number]> {
  const expects = values.map((value) => `\`${value}\``).join(' or ');
  return {
    expects,
    parse: (value) => values.find((known) => known === value) ?? mustBe(expects),
  };
}

/** Booleans are `1|0|true|false` and nothing else (docs/design/configuration.md). */
export const flag: Reader<boolean> = {
  expects: '`1`, `0`, `true` or `false`',
  parse: (value) => {
    if (value === '1' || value === 'true') return true;
    return value === '0' || value === 'false' ? false : mustBe('1, 0, true or false');
  },
};

/** A whole number between two bounds, both included. */
export function integer(min: number, max: number = Number.MAX_SAFE_INTEGER): Reader<number> {
  const expects =
    max === Number.MAX_SAFE_INTEGER ? `a whole number of at least ${min}` : `a whole number from ${min} to ${max}`;
  return {
    expects,
    parse: (value) => {
      const number = /^\d{1,16}$/.test(value) ? Number(value) : Number.NaN;
      return number >= min && number <= max ? number : mustBe(expects);
    },
  };
}

/** A decimal number between two bounds, both included. */
export function decimal(min: number, max: number): Reader<number> {
  const expects = `a number from ${min} to ${max}`;
  return {
    expects,
    parse: (value) => {
      const number = /^\d{1,9}(\.\d{1,6})?$/.test(value) ? Number(value) : Number.NaN;
      return number >= min && number <= max ? number : mustBe(expects);
    },
  };
}

/** `host:port`; IPv6 hosts stand in brackets; port 0 lets the system choose. */
export const listenAddress: Reader<ListenAddress> = {
  expects: '`host:port`, such as `127.0.0.1:8787`',
  parse: (value) => {
    const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]\s]+)):(\d{1,5})$/.exec(value);
    const port = Number(match?.[3] ?? Number.NaN);
    const host = match?.[1] ?? match?.[2];
    const ipv6Fails = match?.[1] !== undefined && isIP(match[1]) !== 6;
    if (host === undefined || ipv6Fails || !(port <= 65_535)) return mustBe('host:port, such as 127.0.0.1:8787');
    return Object.freeze({ host, port });
  },
};

/** The address of a unix socket; read as the path of its file. */
export const unixSocket: Reader<string> = {
  expects: '`unix://` with the absolute path of a socket, such as `unix:///var/run/docker.sock`',
  parse: (value) => {
    const path = value.startsWith('unix://') ? value.slice('unix://'.length) : '';
    return isAbsolute(path)
      ? path
      : mustBe('unix:// with the absolute path of a socket: engines elsewhere are not used');
  },
};

/** An absolute http(s) address, without a trailing slash. */
export const httpUrl: Reader<string> = {
  expects: 'an http or https address',
  parse: (value) => {
    const url = URL.canParse(value) ? new URL(value) : undefined;
    if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return mustBe('an http or https address');
    return value.replace(/\/+$/, '');
  },
};

/** An http(s) address, kept as it is written, because `/hook/` and `/hook` may be two receivers. Credentials in it would reach logs. */
export const webhookUrl: Reader<string> = {
  expects: 'an http or https address without user and password',
  parse: (value) => {
    const url = URL.canParse(value) ? new URL(value) : undefined;
    const plain = url !== undefined && url.username === '' && url.password === '' && url.hash === '';
    const web = url?.protocol === 'http:' || url?.protocol === 'https:';
    return plain && web ? value : mustBe('an http or https address without user, password and fragment');
  },
};

/** `whsec_` and 24 to 64 bytes in base64, as Standard Webhooks writes symmetric secrets. */
export const webhookSecret: Reader<string> = {
  expects: '`whsec_` and 24 to 64 bytes in base64',
  parse: (value) => {
    const match = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/.exec(value);
    const bytes = Buffer.from(match?.[1] ?? '', 'base64').length;
    return bytes >= 24 && bytes <= 64 ? value : mustBe('whsec_ and 24 to 64 bytes in base64');
  },
};

export const postgresUrl: Reader<string> = {
  expects: 'a `postgres://` address',
  parse: (value) => {
    const scheme = /^postgres(ql)?:\/\//.test(value);
    // libpq's form for a unix socket has no host before the slash: postgres://user@/database?host=/folder
    return scheme && URL.canParse(value.replace('@/', '@localhost/')) ? value : mustBe('a postgres:// address');
  },
};

export const absolutePath: Reader<string> = {
  expects: 'an absolute path',
  parse: (value) => (isAbsolute(value) ? value : mustBe('an absolute path')),
};

/** Absolute paths separated by `:`; `none` is the empty list. */
export const pathList: Reader<readonly string[]> = {
  expects: 'absolute paths separated by `:`, or `none`',
  parse: (value) => {
    if (value === 'none') return Object.freeze([]);
    const paths = value.split(':');
    return paths.every((path) => isAbsolute(path))
      ? Object.freeze(paths)
      : mustBe('absolute paths separated by ":", or none');
  },
};

const CACHE_NAME = /^[a-z0-9][a-z0-9._-]{0,31}$/;

/** Folders of this host, each under a name of its own. */
export const namedFolders: Reader<Readonly<Record<string, string>>> = {
  expects: '`name=/folder` separated by commas, names of `a-z 0-9 . _ -`',
  parse: (value) => {
    const pairs = value.split(',').map((pair) => pair.trim().split('='));
    const folders = Object.fromEntries(pairs.map(([name = '', path = '']) => [name, path]));
    const isRight = ([name = '', path = '', ...more]: string[]): boolean =>
      CACHE_NAME.test(name) && isAbsolute(path) && more.length === 0;
    if (pairs.every(isRight) && Object.keys(folders).length === pairs.length) return Object.freeze(folders);
    return mustBe('name=/folder separated by commas, each name once, of a-z, 0-9, ".", "_" and "-"');
  },
};

/** Words separated by commas. */
export const wordList: Reader<readonly string[]> = {
  expects: 'words separated by commas',
  parse: (value) => {
    const words = value.split(',').map((word) => word.trim());
    return words.every((word) => word !== '') ? Object.freeze(words) : mustBe('words separated by commas');
  },
};

export const uuid: Reader<string> = {
  expects: 'a UUID',
  parse: (value) => (isUuid(value) ? value.toLowerCase() : mustBe('a UUID')),
};

/** Whole numbers between two bounds, both included, separated by commas; at least one, at most sixteen. */
export function integerList(min: number, max: number): Reader<readonly number[]> {
  const expects = `whole numbers from ${min} to ${max} separated by commas`;
  return {
    expects,
    parse: (value) => {
      const parts = value.split(',').map((part) => part.trim());
      const numbers = parts.map((part) => (/^\d{1,16}$/.test(part) ? Number(part) : Number.NaN));
      const valid = numbers.length <= 16 && numbers.every((number) => number >= min && number <= max);
      return valid ? Object.freeze(numbers) : mustBe(expects);
    },
  };
}

/** Certificates in PEM form, usually in a file that the variable's `_FILE` form names. */
export const certificates: Reader<string> = {
  expects: 'certificates in PEM form',
  parse: (value) =>
    /-----BEGIN CERTIFICATE-----[\s\S]+-----END CERTIFICATE-----/.test(value)
      ? `${value.trim()}\n`
      : mustBe('certificates in PEM form'),
};

/** 32 bytes in hexadecimal or base64. */
export const key32: Reader<Buffer> = {
  expects: '32 bytes in hexadecimal or base64',
  parse: (value) => {
    const hex = /^[0-9a-fA-F]{64}$/.test(value);
    const base64 = /^[A-Za-z0-9+/_-]{43}=?$/.test(value);
    if (!hex && !base64) return mustBe('32 bytes in hexadecimal or base64');
    return Buffer.from(value, hex ? 'hex' : 'base64');
  },
};

/** An admin token is compared whole, so it may hold no blanks; a short one could be guessed. */
export const adminToken: Reader<string> = {
  expects: 'at least 16 characters without blanks',
  parse: (value) =>
    /^[\x21-\x7e]{16,512}$/.test(value) ? value : mustBe('16 to 512 printable characters without blanks'),
};

function nonBlank(value: string, expects: string): string {
  return value.trim() === '' ? mustBe(expects) : value;
}

function mustBe(expects: string): never {
  throw new Error(`must be ${expects}`);
}
