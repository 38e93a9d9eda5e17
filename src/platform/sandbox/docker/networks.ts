import { SandgateError } from '../../../domain/errors.js';
import { askEngine, type EngineAnswer } from './ask-engine.js';
import type { EngineFlavour } from './engine.js';

/** One network of an engine, as far as we look at it. */
export interface EngineNetwork {
  name: string;
  labels: Record<string, string>;
  /** The address block of IPv4, such as `10.89.0.0/24`; null for a network that has none. */
  subnet: string | null;
  /** This host on the network; null where it is not there. */
  gateway: string | null;
}

interface NetworkAnswer {
  Name: string;
  Labels?: Record<string, string> | null;
  IPAM?: { Config?: { Subnet?: string; Gateway?: string }[] | null };
}

/** What a network is made of whose only members are containers. */
interface NetworkPlan {
  name: string;
  labels: Record<string, string>;
  flavour: EngineFlavour;
}

/** The networks of an engine. What it has not is null, and removing it is success. */
export class EngineNetworks {
  constructor(private readonly socketPath: string) {}

  /** A network that leads nowhere and on which this host has no address. @throws SandgateError `conflict` when the name is taken */
  async create({ name, labels, flavour }: NetworkPlan): Promise<void> {
    const answer =
      flavour === 'podman'
        ? // Its part in common with Docker always adds a resolver, and with it an address of this host.
          await this.ask('POST', '/v4.0.0/libpod/networks/create', {
            ...{ name, driver: 'bridge', labels },
            ...{ internal: true, dns_enabled: false, ipv6_enabled: false },
          })
        : await this.ask('POST', '/networks/create', {
            ...{ Name: name, Driver: 'bridge', Labels: labels },
            ...{ Internal: true, EnableIPv6: false, CheckDuplicate: true },
            Options: { 'com.docker.network.bridge.inhibit_ipv4': 'true' },
          });
    if (answer.status === 409 || /already (exists|used)/.test(answer.text))
      throw new SandgateError('conflict', `a network ${name} is on this engine already`);
    expectOk(answer, 'make a network');
  }

  async inspect(name: string): Promise<EngineNetwork | null> {
    const answer = await this.ask('GET', `/networks/${encodeURIComponent(name)}`);
    if (answer.status === 404) return null;
    expectOk(answer, 'look at a network');
    return toNetwork(answer.body as NetworkAnswer);
  }

  /** Networks with a label. */
  async list(label: string): Promise<EngineNetwork[]> {
    const filters = encodeURIComponent(JSON.stringify({ label: [label] }));
    const answer = await this.ask('GET', `/networks?filters=${filters}`);
    expectOk(answer, 'list networks');
    return (answer.body as NetworkAnswer[]).map(toNetwork);
  }

  /** Gives a container one more network. */
  async connect(name: string, container: string): Promise<void> {
    const answer = await this.ask('POST', `/networks/${encodeURIComponent(name)}/connect`, { Container: container });
    expectOk(answer, 'connect a container to a network');
  }

  async remove(name: string): Promise<void> {
    const answer = await this.ask('DELETE', `/networks/${encodeURIComponent(name)}`);
    if (answer.status !== 404) expectOk(answer, 'remove a network');
  }

  private ask(method: string, path: string, body?: object): Promise<EngineAnswer> {
    return askEngine(this.socketPath, { method, path, ...(body === undefined ? {} : { body }) });
  }
}

function expectOk({ status, text }: EngineAnswer, what: string): void {
  if (status < 200 || status > 299)
    throw new SandgateError('sandbox_failed', `the container engine could not ${what}: ${text}`);
}

function toNetwork({ Name: name, Labels: labels, IPAM: ipam }: NetworkAnswer): EngineNetwork {
  const [first] = ipam?.Config ?? [];
  return { name, labels: labels ?? {}, subnet: first?.Subnet ?? null, gateway: first?.Gateway || null };
}
