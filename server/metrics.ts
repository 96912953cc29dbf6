import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Figures of the memory that states take. */
interface MemoryFigures {
  readonly bytes: number;
  readonly residentCount: number;
  readonly departureCount: number;
}

export interface SocketFigures {
  readonly socketCount: number;
  readonly roomCount: number;
  readonly waitingBytes: number;
}

interface DamageFigures {
  readonly objectCount: number;
  readonly foundCount: number;
}

/** Counters of the process; `/metrics` prints them. One instance a process or test. */
export class Metrics {
  readonly registry = new Registry();

  /** Labelled by route template, never by path: a label per workbook would grow without end. */
  readonly requestSeconds = new Histogram({
    name: 'quire_http_request_seconds',
    help: 'Time from the first byte of a request to the last byte of its answer',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [this.registry],
  });

  readonly operationsAppended = new Counter({
    name: 'quire_operations_appended_total',
    help: 'Operations made durable in the journal',
    registers: [this.registry],
  });

  readonly appendSeconds = new Histogram({
    name: 'quire_journal_append_seconds',
    help: 'Time of one group commit',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers: [this.registry],
  });

  readonly branchesDiverged = new Gauge({
    name: 'quire_branch_diverged',
    help: 'Branches of which the database lost what this process had acknowledged: see the log',
    registers: [this.registry],
  });

  readonly poolQueueSize = new Gauge({
    name: 'quire_pool_queue_size',
    help: 'Evaluation tasks that wait for a worker',
    registers: [this.registry],
  });

  /**
   * Jobs by queue and by outcome: `done`, `failed` (tried again, unless too often) or `cancelled`.
   */
  readonly jobs = new Counter({
    name: 'quire_jobs_total',
    help: 'Work in the background that this process has ended',
    labelNames: ['queue', 'outcome'] as const,
    registers: [this.registry],
  });

  readonly keeperSealed = new Counter({
    name: 'quire_keeper_sealed_operations_total',
    help: 'Operations that were put into object storage in the background',
    registers: [this.registry],
  });

  readonly keeperSnapshots = new Counter({
    name: 'quire_keeper_snapshots_total',
    help: 'States of branches that were stored in the background',
    registers: [this.registry],
  });

  readonly keeperTrimmed = new Counter({
    name: 'quire_keeper_trimmed_operations_total',
    help: 'Operations whose rows were deleted, because object storage was seen to hold them',
    registers: [this.registry],
  });

  readonly keeperFailures = new Counter({
    name: 'quire_keeper_failures_total',
    help: 'Attempts to seal, store or trim a branch that failed and will be repeated',
    registers: [this.registry],
  });

  readonly objectsMended = new Counter({
    name: 'quire_mended_objects_total',
    help: 'Stored objects that were found missing or damaged and were made anew',
    registers: [this.registry],
  });

  readonly keeperWaiting = new Gauge({
    name: 'quire_keeper_waiting_branches',
    help: 'Branches with operations that object storage does not hold yet',
    registers: [this.registry],
  });

  readonly logSize = new Gauge({
    name: 'quire_tlog_size',
    help: 'Entries in the checkpoint of the transparency log that this process published last',
    registers: [this.registry],
  });

  readonly logLagSeconds = new Histogram({
    name: 'quire_tlog_lag_seconds',
    help: 'How long the oldest new entry of a checkpoint had waited when it was published',
    buckets: [0.05, 0.1, 0.25, 0.5, 0.75, 1, 1.5, 2.5, 5, 10, 60, 600],
    registers: [this.registry],
  });

  readonly logHalted = new Gauge({
    name: 'quire_tlog_halted',
    help: '1 when the transparency log does not go on: GET /v1/tlog/status says why',
    registers: [this.registry],
  });

  /**
   * Ended sockets by reason: a name of close-codes.ts, or `closed` by the client or the network.
   */
  readonly socketEnds = new Counter({
    name: 'quire_socket_ends_total',
    help: 'Websockets and event streams that ended',
    labelNames: ['reason'] as const,
    registers: [this.registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry, prefix: 'quire_' });
  }

  /** Figures of memory are read when somebody asks for the metrics. */
  watchMemory(memory: MemoryFigures): void {
    this.#watch('quire_state_bytes', 'Weight of the states in memory', () => memory.bytes);
    this.#watch('quire_states', 'Branches and positions in memory', () => memory.residentCount);
    this.#watch(
      'quire_state_departures',
      'Those that left for others',
      () => memory.departureCount,
    );
  }

  watchDamage(damage: DamageFigures): void {
    const missing = 'Stored objects that this process found missing or damaged';
    const left = `${missing} and that were not made anew yet`;
    this.#watch('quire_damaged_objects', left, () => damage.objectCount);
    this.#watch('quire_found_damages', `${missing} since it began`, () => damage.foundCount);
  }

  watchSockets(sockets: SocketFigures): void {
    const open = 'Websockets and event streams that are open';
    this.#watch('quire_sockets', open, () => sockets.socketCount);
    this.#watch('quire_socket_rooms', 'Branches that have one', () => sockets.roomCount);
    const waiting = 'Bytes that their clients have not taken yet';
    this.#watch('quire_socket_waiting_bytes', waiting, () => sockets.waitingBytes);
  }

  #watch(name: string, help: string, read: () => number): void {
    const collect = (): void => one.set(read());
    const one = new Gauge({ name, help, registers: [this.registry], collect });
  }

  print(): Promise<string> {
    return this.registry.metrics();
  }

  get contentType(): string {
    return this.registry.contentType;
  }
}
