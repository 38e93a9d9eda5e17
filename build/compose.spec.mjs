import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';

const folder = path.join(path.dirname(path.dirname(fileURLToPath(import.meta.url))), 'deploy');
const textOf = (name) => readFileSync(path.join(folder, name), 'utf8');
const compose = parse(textOf('compose.yaml'), { merge: true });
const demo = parse(textOf('compose.demo.yaml'), { merge: true });
const services = Object.entries(compose.services);
const all = [...services, ['demo', demo.services.demo]];
/** @returns the names of the services of which it is true */
const those = (holds) => all.filter(([, service]) => holds(service)).map(([name]) => name);
const mountsOf = ({ volumes = [] }) => volumes.filter((volume) => volume.startsWith('/') || volume.startsWith('$'));

describe('the compose files of a small server', () => {
  it('start nothing without a token of the administrator and a password of the database', () => {
    for (const text of [textOf('compose.yaml'), textOf('compose.demo.yaml')]) {
      const named = [...text.matchAll(/\$\{?(SERVICE_ADMIN_TOKEN|POSTGRES_PASSWORD)([^}]*)\}?/g)];
      expect(named.length).toBeGreaterThan(0);
      for (const [, name, condition] of named)
        expect(condition).toMatch(new RegExp(`^:\\?set ${name} in the file \\.env`));
    }
  });

  it('give no service more than it needs', () => {
    expect(those((service) => service.read_only !== true)).toEqual([]);
    expect(those((service) => service.cap_drop?.join() !== 'ALL')).toEqual([]);
    expect(those((service) => service.security_opt?.join() !== 'no-new-privileges')).toEqual([]);
    expect(those((service) => service.pids_limit === undefined || service.mem_limit === undefined)).toEqual([]);
    expect(those((service) => service.privileged || service.network_mode || service.pid || service.devices)).toEqual(
      [],
    );
    const added = services.map(([name, { cap_add: names = [] }]) => [name, names]);
    const files = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER'];
    expect(Object.fromEntries(added)).toEqual({ postgres: [], temporal: [], api: files, worker: files });
  });

  it('show the engine to the worker alone, and secrets to the API alone', () => {
    expect(those((service) => mountsOf(service).some((mount) => mount.includes('docker.sock')))).toEqual(['worker']);
    const knows =
      (name) =>
      ({ environment = {} }) =>
        name in environment;
    expect(those(knows('SERVICE_ADMIN_TOKEN'))).toEqual(['api']);
    expect(those(knows('ANTHROPIC_API_KEY'))).toEqual(['api']);
    expect(those(knows('OPENAI_API_KEY'))).toEqual(['api']);
  });

  it('publish the API on loopback, and keep PostgreSQL and Temporal in a network that leads nowhere', () => {
    expect(those(({ ports }) => ports !== undefined)).toEqual(['api']);
    for (const port of compose.services.api.ports) expect(port).toMatch(/^127\.0\.0\.1:/);
    expect(compose.networks.stores).toEqual({ internal: true });
    expect(those(({ networks }) => !networks.includes('outside'))).toEqual(['postgres', 'temporal']);
  });

  it('mount what sandboxes mount too at its own path', () => {
    for (const name of ['api', 'worker']) {
      const mounts = mountsOf(compose.services[name]).filter((mount) => !mount.includes('docker.sock'));
      expect(mounts).toHaveLength(2);
      for (const mount of mounts) {
        const middle = (mount.length - 1) / 2;
        expect(mount[middle]).toBe(':');
        expect(mount.slice(0, middle)).toBe(mount.slice(middle + 1));
      }
    }
  });

  it('hold no form that podman-compose 1.0 leaves as it is or cannot merge', () => {
    const text = textOf('compose.yaml') + textOf('compose.demo.yaml');
    expect(text).not.toMatch(/\$\{\w+:?[-+?]\}|\$\{\w+:?\+/);
    for (const [, { environment = {} }] of all) expect(Object.values(environment)).not.toContain(null);
    expect(those(({ healthcheck, depends_on: others }) => healthcheck !== undefined || others !== undefined)).toEqual(
      [],
    );
  });
});
