import { readNetwork } from '../egress/network-list.js';
import type { Reader } from './readers.js';

/** Networks separated by commas. */
export const networks: Reader<readonly string[]> = {
  expects: 'networks such as `10.1.0.0/16,fd12::/32`',
  parse: (value) => {
    const listed = value.split(',').map((one) => one.trim());
    listed.forEach(readNetwork);
    return Object.freeze(listed);
  },
};

/** A proxy for what goes out. */
export const proxyUrl: Reader<string> = {
  expects: 'an `http://` or `https://` address of a proxy',
  parse: (value) => {
    const url = URL.canParse(value) ? new URL(value) : undefined;
    const web = url?.protocol === 'http:' || url?.protocol === 'https:';
    if (url === undefined || !web || url.pathname !== '/' || url.search !== '' || url.hash !== '') {
      throw new Error('must be an http:// or https:// address of a proxy, without a path');
    }
    return value;
  },
};
