import type { Config, Role } from './config.ts';
import { Edge } from './http/edge.ts';
import type { EdgeOptions, ServedHost } from './http/edge.ts';
import { Listener } from './http/listener.ts';
import { StartRefused } from './model/start-refused.ts';
import { probePort } from './storage/free-port.ts';

/** Ports of the three addresses; those with one port share a listener. */
export type Ports = Readonly<Record<ServedHost, number>>;

const allHosts: readonly ServedHost[] = ['api', 'auth', 'site'];

/**
 * The ports of this process, settled before anything is started. Those that the system chose are
 * taken at once: a port that is only known to be free is soon taken by somebody else, be it the
 * database of this process. Those that were given are looked at, and taken when all is ready.
 */
export class Listeners {
  readonly ports: Ports;
  /** Listeners taken and not served yet; emptied by `take` and `close`. */
  readonly #taken: Map<number, Listener>;

  private constructor(ports: Ports, taken: Map<number, Listener>) {
    this.ports = ports;
    this.#taken = taken;
  }

  static async settle({ host, port, listen, role }: Config): Promise<Listeners> {
    const own = allHosts.filter((one) => role === 'all' || role === one);
    for (const given of new Set(own.map((one) => listen[one] ?? port))) {
      if (given !== 0) await checkFree(host, given);
    }
    const taken = new Map<number, Listener>();
    const settle = async (wanted: number): Promise<number> => {
      if (wanted !== 0) return wanted;
      const listener = await Listener.bind(host, 0);
      taken.set(listener.port, listener);
      return listener.port;
    };
    const isShared = own.some((one) => listen[one] === undefined);
    const shared = isShared ? await settle(port) : port;
    const settled = { api: shared, auth: shared, site: shared };
    for (const one of allHosts) {
      // An address that another process serves is known only where it was given.
      if (own.includes(one)) settled[one] = await settle(listen[one] ?? shared);
      else settled[one] = listen[one] || shared;
    }
    return new Listeners(settled, taken);
  }

  async take(host: string, port: number): Promise<Listener> {
    const listener = this.#taken.get(port) ?? (await Listener.bind(host, port));
    this.#taken.delete(port);
    return listener;
  }

  /** Closes the listeners that nobody serves. */
  close(): void {
    for (const listener of this.#taken.values()) listener.close();
    this.#taken.clear();
  }
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program uses it: stop that program or set another PORT',
  EACCES: 'this account may not: set a PORT above 1023',
  EADDRNOTAVAIL: 'this machine does not have that address: set another HOST',
};

async function checkFree(host: string, port: number): Promise<void> {
  try {
    await probePort(host, port);
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
    const why = reasons[code] ?? `the system says ${code}: check HOST and PORT`;
    throw new StartRefused(`could not listen on ${host}:${port}; ${why}`, { cause });
  }
}

export interface DoorOptions {
  readonly role: Role;
  readonly listeners: Listeners;
  readonly edge: EdgeOptions;
}

/** The listeners of this process, each with the routes of its hosts and no others. */
export class Doors {
  readonly #edges: readonly Edge[];

  private constructor(edges: readonly Edge[]) {
    this.#edges = edges;
  }

  static async open({ role, listeners, edge }: DoorOptions): Promise<Doors> {
    const { ports } = listeners;
    const byPort = new Map<number, ServedHost[]>();
    for (const host of allHosts.filter((one) => role === 'all' || role === one)) {
      byPort.set(ports[host], [...(byPort.get(ports[host]) ?? []), host]);
    }
    const edges: Edge[] = [];
    for (const [port, hosts] of byPort) {
      const one = new Edge({ ...edge, serves: hosts });
      edges.push(one);
      one.serve(await listeners.take(edge.boundTo, port));
    }
    return new Doors(edges);
  }

  async stop(graceMilliseconds: number): Promise<void> {
    await Promise.all(this.#edges.map((edge) => edge.stop(graceMilliseconds)));
  }
}
