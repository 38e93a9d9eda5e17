import { end, type Interference } from './code-host.js';

/** Answers what the path fits with a redirect. */
export function redirect(path: RegExp, status: number, location: string): Interference {
  return (request, response) => {
    if (!path.test((request.url ?? '').split('?')[0] ?? '')) return false;
    end(response, status, { location });
    return true;
  };
}

/** A host of the first protocol without `allowReachableSHA1InWant`. */
export function refuseSingleCommits(): Interference {
  return (request) => {
    delete request.headers['git-protocol'];
    request.headers['x-strict'] = '1';
    return false;
  };
}

/** A host that sends files with every commit. */
export function refuseFilters(): Interference {
  return (request) => {
    request.headers['x-unfiltered'] = '1';
    return false;
  };
}
