import type { Environment } from '../model/environment.ts';
import { hasCode } from '../model/error-code.ts';
import { DatabaseSilent } from './dialer.ts';
import { companions, type PoolCompanions, type Sql } from './postgres.ts';

const pauseMilliseconds = 1_000;
/** Even a busy database answers `select 1` sooner; requests are answered within 10 s. */
const answerMilliseconds = 4_000;
const tickMilliseconds = 250;

/**
 * Checks whether the database answers at all. A frozen one, or one behind a network that drops
 * everything, closes no connection, so that callers would wait without end. A slow statement may
 * continue as long as there is a pulse.
 */
export class Pulse {
  readonly #companions: PoolCompanions;
  readonly #environment: Environment;
  readonly #onEvent: (message: string) => void;
  #probe: Sql;
  #isStopped = false;
  #cancel: () => void = () => undefined;

  constructor(
    sql: Sql,
    { environment, onEvent }: { environment: Environment; onEvent: (message: string) => void },
  ) {
    this.#companions = companions(sql);
    this.#environment = environment;
    this.#onEvent = onEvent;
    this.#probe = this.#companions.openProbe();
    this.#rest();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#probe.end({ timeout: 0 });
  }

  #rest(): void {
    if (this.#isStopped) return;
    this.#cancel = this.#environment.after(pauseMilliseconds, () => void this.#feel());
  }

  async #feel(): Promise<void> {
    const [dialer] = this.#companions.dialers;
    const wasSilent = dialer?.isSilent === true;
    const answers = await this.#answers();
    if (this.#isStopped) return;
    if (!answers && !wasSilent) {
      this.#onEvent('the database does not answer: nothing is asked of it until it does');
      for (const each of this.#companions.dialers) each.cutOff();
    }
    if (answers && wasSilent) {
      this.#onEvent('the database answers again');
      for (const each of this.#companions.dialers) each.resume();
    }
    this.#rest();
  }

  /** Returns whether the database answers; a refused connection is an answer too. */
  async #answers(): Promise<boolean> {
    const probe = this.#probe;
    try {
      await untilAnswered(probe`select 1`.execute(), this.#environment);
      return true;
    } catch (error) {
      if (!isSilence(error)) return true;
      this.#probe = this.#companions.openProbe();
      void probe.end({ timeout: 0 });
      return false;
    }
  }
}

/**
 * Resolves with the answer of the database, or fails with `DatabaseSilent` when it has not come in
 * time. Time is counted in ticks, of which a late one counts at most twice: a thread that had no
 * time for its timers had none for the answer, and one that is only busy is late by a little.
 */
export async function untilAnswered(
  answer: Promise<unknown>,
  environment: Pick<Environment, 'after' | 'now'>,
): Promise<void> {
  const answered = answer.then(() => true);
  for (let left = answerMilliseconds; left > 0;) {
    const start = environment.now();
    let cancel = (): void => undefined;
    const tick = new Promise<false>((resolve) => {
      cancel = environment.after(tickMilliseconds, () => resolve(false));
    });
    const isAnswered = await Promise.race([answered, tick]).finally(cancel);
    if (isAnswered) return;
    const passed = Math.max(tickMilliseconds, environment.now() - start);
    left -= Math.min(passed, 2 * tickMilliseconds);
  }
  throw new DatabaseSilent('no answer');
}

function isSilence(error: unknown): boolean {
  if (error instanceof DatabaseSilent) return true;
  return hasCode(error, 'CONNECT_TIMEOUT');
}
