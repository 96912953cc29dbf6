import type { InspectedProcess } from './inspected-process.ts';

/** Figures of a process at one moment. */
export interface Figures {
  /** The part of the heap that something still holds: garbage is collected before. */
  readonly heldBytes: number;
  readonly residentBytes: number;
  readonly handles: number;
  readonly sockets: number;
  readonly rooms: number;
  /** The 99th percentile of delays of the loop of the service since it was asked last. */
  readonly loopSeconds: number;
}

const names: Readonly<Record<Exclude<keyof Figures, 'heldBytes'>, string>> = {
  residentBytes: 'quire_process_resident_memory_bytes',
  handles: 'quire_nodejs_active_handles_total',
  sockets: 'quire_sockets',
  rooms: 'quire_socket_rooms',
  loopSeconds: 'quire_nodejs_eventloop_lag_p99_seconds',
};

export async function figuresOf(url: string, inspected: InspectedProcess): Promise<Figures> {
  const heldBytes = await inspected.heldBytes();
  const text = await (await fetch(`${url}/metrics`)).text();
  const valueOf = (name: string): number => {
    const line = new RegExp(`^${name} (\\S+)$`, 'm').exec(text);
    if (!line) throw new Error(`the process does not tell ${name}`);
    return Number(line[1]);
  };
  return {
    heldBytes,
    residentBytes: valueOf(names.residentBytes),
    handles: valueOf(names.handles),
    sockets: valueOf(names.sockets),
    rooms: valueOf(names.rooms),
    loopSeconds: valueOf(names.loopSeconds),
  };
}

const growthMost = 1.1;
/** The ids of the journal and the like may take so much, however small the rest is. */
const spareBytes = 4 << 20;

/**
 * Lists what has grown: the least of a figure in the last third of the samples is compared with the
 * least in the second, so that warming up does not count.
 */
export function growthIn(samples: readonly Figures[]): string[] {
  const third = Math.floor(samples.length / 3);
  const least = (figure: keyof Figures, from: number): number =>
    Math.min(...samples.slice(from, from + third).map((sample) => sample[figure]));
  const faults: string[] = [];
  for (const figure of ['heldBytes', 'handles'] as const) {
    const before = least(figure, third);
    const after = least(figure, samples.length - third);
    const spare = figure === 'heldBytes' ? spareBytes : 0;
    if (after > before * growthMost + spare) faults.push(`${figure}: ${before}, then ${after}`);
  }
  return faults;
}
