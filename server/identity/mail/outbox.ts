import type { Environment } from '../../model/environment.ts';
import { seal, unseal } from '../repeat.ts';
import type { Letter } from './letter.ts';
import type { OutboxTable, WaitingLetter } from './sql.ts';
import type { MailTransport } from './transport.ts';

export interface OutboxOptions {
  readonly table: OutboxTable;
  readonly transport: MailTransport;
  readonly environment: Environment;
  /** Key that seals the letters while they wait. */
  readonly key: Buffer;
  readonly report: (step: string, error: unknown) => void;
}

const restMilliseconds = 5_000;
/** Time after which another process may try to send a letter; longer than any send takes. */
const leaseMilliseconds = 60_000;
const retryMilliseconds: readonly number[] = [2_000, 10_000, 30_000];
const lettersAtOnce = 8;

/** Sends the letters of the outbox in the background, so that no answer waits for a mail server. */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #sealingKey: string;
  #isStopped = false;
  #cancelPass: (() => void) | undefined;
  /** The running pass; there is never a second one. */
  #running: Promise<void> | undefined;
  /** True when a letter was written while a pass was running. */
  #again = false;

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.#sealingKey = options.key.toString('hex');
  }

  start(): void {
    this.wake();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelPass?.();
    await this.#running;
    this.#options.transport.close();
  }

  /** Starts a pass at once, because a letter was written. */
  wake(): void {
    if (this.#isStopped) return;
    if (this.#running !== undefined) {
      this.#again = true;
      return;
    }
    this.#cancelPass?.();
    this.#running = this.#pass()
      .catch((error: unknown) => this.#options.report('look for mail to send', error))
      .finally(() => this.#rest());
  }

  sealed(letter: Letter): Buffer {
    return seal(JSON.stringify(letter), this.#sealingKey, this.#options.environment);
  }

  #rest(): void {
    this.#running = undefined;
    if (this.#isStopped) return;
    if (this.#again) {
      this.#again = false;
      this.wake();
      return;
    }
    this.#cancelPass = this.#options.environment.after(restMilliseconds, () => this.wake());
  }

  async #pass(): Promise<void> {
    const { table, environment } = this.#options;
    for (;;) {
      const now = environment.now();
      const lease = new Date(now + leaseMilliseconds);
      const letters = await table.take(new Date(now), lease, lettersAtOnce);
      await Promise.all(letters.map((letter) => this.#send(letter)));
      if (letters.length < lettersAtOnce || this.#isStopped) return;
    }
  }

  /** Sends a letter. A crash between the send and its note sends it twice, with the same code. */
  async #send({ mailId, sealed, tries }: WaitingLetter): Promise<void> {
    const { table, transport, environment, report } = this.#options;
    try {
      const letter = JSON.parse(unseal(sealed, this.#sealingKey)) as Letter;
      await transport.send(letter, mailId);
    } catch (error) {
      // The message of a mail server may repeat the letter, so only its error code is reported.
      report('send a letter', new Error(`try ${tries}: ${codeOf(error)}`));
      const wait = retryMilliseconds[tries - 1];
      const now = environment.now();
      if (wait === undefined) await table.drop(mailId, new Date(now));
      else await table.postpone(mailId, new Date(now + wait));
      return;
    }
    await table.sent(mailId, new Date(environment.now()));
  }
}

function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') {
    return error.code;
  }
  return error instanceof Error ? error.name : 'unknown';
}
