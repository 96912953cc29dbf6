import type { Config, Role } from './config.ts';
import { Edge } from './http/edge.ts';
import type { EdgeOptions, ServedHost } from './http/edge.ts';
import { freePort } from './storage/free-port.ts';

/** Where each of the three addresses listens; those with one port share a listener. */
export type Ports = Readonly<Record<ServedHost, number>>;

const allHosts: readonly ServedHost[] = ['api', 'auth', 'site'];

/** Free ports are chosen before anything is told an address. */
export async function settlePorts({ host, port, listen }: Config): Promise<Ports> {
  const taken = new Set<number>();
  const settle = async (wanted: number): Promise<number> => {
    if (wanted !== 0) return wanted;
    let found = await freePort(host);
    while (taken.has(found)) found = await freePort(host);
    taken.add(found);
    return found;
  };
  const shared = await settle(port);
  taken.add(shared);
  return {
    api: await settle(listen.api ?? shared),
    auth: await settle(listen.auth ?? shared),
    site: await settle(listen.site ?? shared),
  };
}

export interface DoorOptions {
  readonly role: Role;
  readonly ports: Ports;
  readonly edge: EdgeOptions;
}

/** The listeners of this process, each with the routes of what it serves and no others. */
export class Doors {
  readonly #edges: readonly Edge[];

  private constructor(edges: readonly Edge[]) {
    this.#edges = edges;
  }

  static async open({ role, ports, edge }: DoorOptions): Promise<Doors> {
    const byPort = new Map<number, ServedHost[]>();
    for (const host of allHosts.filter((one) => role === 'all' || role === one)) {
      byPort.set(ports[host], [...(byPort.get(ports[host]) ?? []), host]);
    }
    const edges: Edge[] = [];
    for (const [port, hosts] of byPort) {
      const one = new Edge({ ...edge, serves: hosts });
      edges.push(one);
      await one.listen(edge.boundTo, port);
    }
    return new Doors(edges);
  }

  async stop(graceMilliseconds: number): Promise<void> {
    await Promise.all(this.#edges.map((edge) => edge.stop(graceMilliseconds)));
  }
}
