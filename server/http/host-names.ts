import type { Addresses } from '../model/addresses.ts';
import { Failure } from '../model/failure.ts';
import { isLoopback, plainAddress } from '../model/ip-address.ts';
import type { Host } from './route.ts';

const loopbackNames: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);
const watchedPaths: ReadonlySet<string> = new Set(['/health', '/ready', '/metrics']);
/** An edge that is bound to these listens on all addresses of the machine. */
const anyAddresses: ReadonlySet<string | undefined> = new Set(['0.0.0.0', '0:0:0:0:0:0:0:0']);
const ipLiteral = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:.]+\])$/;

/**
 * Tells which of our hosts a Host header names. Unknown names are refused, because a page of
 * another site can point its own name at this service (DNS rebinding); a bare IP address cannot be
 * rebound.
 */
export class HostNames {
  readonly #hosts = new Map<string, Set<Host>>();
  readonly #takesIpLiterals: boolean;
  readonly #isLoopback: boolean;
  readonly #served: ReadonlySet<Host>;

  /** Takes the hosts of this listener; names of others count as unknown. */
  constructor(addresses: Addresses, boundTo: string, served: readonly Host[]) {
    this.#served = new Set(served);
    this.#add(addresses.baseUrl, 'api');
    this.#add(addresses.authUrl, 'auth');
    this.#add(addresses.siteUrl, 'site');
    this.#isLoopback = isLoopback(boundTo);
    this.#takesIpLiterals = anyAddresses.has(plainAddress(boundTo));
  }

  /**
   * Returns the hosts for a request. Monitoring paths are answered under any name, because monitors
   * ask by whatever address they have.
   */
  hostsOf(header: string | undefined, path: string): ReadonlySet<Host> {
    if (watchedPaths.has(path)) return this.#served;
    const authority = header?.toLowerCase() ?? '';
    const hosts = this.#hosts.get(authority);
    if (hosts !== undefined) return this.#known(hosts);
    const name = authority.replace(/:\d+$/, '');
    if (this.#isLoopback && loopbackNames.has(name)) return this.#served;
    if (this.#takesIpLiterals && (ipLiteral.test(name) || loopbackNames.has(name)))
      return this.#served;
    throw misdirected();
  }

  #known(hosts: ReadonlySet<Host>): ReadonlySet<Host> {
    const isServed = [...hosts].some((host) => this.#served.has(host));
    if (isServed) return hosts;
    throw misdirected();
  }

  #add(url: string, host: Host): void {
    const { host: authority, hostname, protocol } = new URL(url);
    const port = protocol === 'https:' ? 443 : 80;
    for (const name of [authority, authority === hostname ? `${hostname}:${port}` : authority]) {
      const hosts = this.#hosts.get(name) ?? new Set();
      this.#hosts.set(name, hosts.add(host));
    }
  }
}

function misdirected(): Failure {
  return new Failure('misdirectedRequest', {
    detail: 'The Host header names none of the addresses that are served here.',
    hint: 'Use the address in BASE_URL; an operator who serves another name sets it there.',
  });
}
