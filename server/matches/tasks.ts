import type { Payload, Pool, Result, TaskName } from '../compute/pool.ts';
import { progressAt, type Phase } from './match.ts';
import type { MatchTable, StoredChunk } from './sql.ts';

export interface TaskParts {
  readonly table: Pick<MatchTable, 'chunks' | 'advance'>;
  readonly pool: Pick<Pool, 'run'>;
  /** Tasks of one match that are under way at the same time. */
  readonly tasksMost: number;
}

/** Error of work on a match that somebody else has ended meanwhile. */
export class MatchEnded extends Error {}

/** Texts of one task: some twenty milliseconds of a thread, so that others get their turns. */
const chunkTexts = 256;
const taskMilliseconds = 120_000;

/** Tasks of one match in the pool, and how far they have come. */
export class MatchTasks {
  readonly #parts: TaskParts;
  readonly #matchId: string;
  readonly #signal: AbortSignal;

  constructor(parts: TaskParts, matchId: string, signal: AbortSignal) {
    this.#parts = parts;
    this.#matchId = matchId;
    this.#signal = signal;
  }

  /** Tasks that are under way at the same time, at most. */
  get most(): number {
    return this.#parts.tasksMost;
  }

  /** Makes the parts that no run before has kept, some at a time, and keeps them as they come. */
  async chunked(
    phase: Phase,
    total: number,
    {
      make,
      place,
    }: {
      make: (from: number, to: number) => Promise<Uint8Array>;
      place: (data: Uint8Array, from: number) => void;
    },
  ): Promise<void> {
    const kept = new Set<number>();
    for (const { first, data } of await this.#parts.table.chunks(this.#matchId, phase)) {
      place(data, first);
      kept.add(first);
    }
    const missing: number[] = [];
    for (let from = 0; from < total; from += chunkTexts) if (!kept.has(from)) missing.push(from);
    let done = total - missing.length * chunkTexts;
    const work = async (): Promise<void> => {
      for (let first = missing.shift(); first !== undefined; first = missing.shift()) {
        const to = Math.min(total, first + chunkTexts);
        const data = await make(first, to);
        place(data, first);
        done += chunkTexts;
        await this.advance(phase, Math.max(0, Math.min(total, done)), total, { first, data });
      }
    };
    await Promise.all(Array.from({ length: this.#parts.tasksMost }, work));
  }

  /** Notes how far a phase is, and keeps a part of its result. */
  async advance(phase: Phase, done: number, total: number, chunk?: StoredChunk): Promise<void> {
    this.#signal.throwIfAborted();
    const step = { phase, done, total, progress: progressAt(phase, done, total) };
    if (!(await this.#parts.table.advance(this.#matchId, step, chunk))) throw new MatchEnded();
  }

  /** Runs a task in a thread. */
  run<Name extends TaskName>(name: Name, payload: Payload<Name>): Promise<Result<Name>> {
    const options = { timeoutMilliseconds: taskMilliseconds, signal: this.#signal };
    return this.#parts.pool.run(name, payload, options);
  }
}
