import { closeCodes } from '../../server/collaboration/close-codes.ts';
import type { FormulaService } from '../../server/model/formula-service.ts';
import type { Operation } from '../../server/model/operation.ts';
import { replay } from '../../server/state/admission.ts';
import { BranchState } from '../../server/state/branch-state.ts';
import type { Book } from './book.ts';
import { FormulaDouble } from './formula-double.ts';
import { LiveClient, type LiveMessage } from './live-client.ts';
import type { ServiceDoor } from './service-door.ts';
import { drive } from './state-driver.ts';

export interface SentOperation {
  readonly id: string;
  readonly kind: string;
  readonly payload: object;
}

interface Sent {
  readonly submission: string;
  readonly baseSeq: number;
  readonly ops: readonly SentOperation[];
}

interface Result {
  readonly id: string;
  readonly status: 'applied' | 'rebased' | 'duplicate' | 'rejected';
  readonly seq?: number;
  readonly kind?: string;
  readonly payload?: object;
  readonly noop?: true;
  readonly error?: { readonly code: string; readonly retryable: boolean };
}

interface ReplicaOptions {
  /** Close codes that are no fault. */
  readonly ends?: readonly number[];
  /** The language of the service. */
  readonly formulas?: FormulaService;
}

interface StreamOp {
  readonly seq: number;
  readonly kind: string;
  readonly payload: unknown;
  readonly noop?: true | undefined;
}

/** Time after which a missing answer counts as a fault, far longer than any takes. */
const settleMilliseconds = 120_000;

/**
 * A client that follows docs/protocol.md: it keeps a state of its own, applies what its socket
 * sends, repeats what was not answered, and reconnects after any loss.
 */
export class ReplicaClient {
  readonly name: string;
  /** The result of each operation. */
  readonly outcomes = new Map<string, Result>();
  /** Faults: gaps, repetitions, operations that cannot be applied. */
  readonly faults: string[] = [];
  readonly state: BranchState;
  gapCount = 0;
  reconnectCount = 0;
  /** Close codes after which it reconnects without a fault. */
  readonly #expectedEnds: ReadonlySet<number>;
  readonly #books: () => Book<ServiceDoor>;
  #socket: LiveClient | undefined;
  #mayRepeat = false;
  #pending = new Map<string, Sent>();
  #working: Promise<void> = Promise.resolve();
  #submissionCount = 0;

  /** `books` names the process to connect to. */
  constructor(
    books: () => Book<ServiceDoor>,
    name: string,
    { ends = [closeCodes.overload], formulas = new FormulaDouble() }: ReplicaOptions = {},
  ) {
    this.state = new BranchState(1, formulas);
    this.#books = books;
    this.name = name;
    this.#expectedEnds = new Set(ends);
  }

  get appliedSeq(): number {
    return this.state.head;
  }

  get pendingCount(): number {
    return this.#pending.size;
  }

  /** Connects, says what it has, and sends again what was not answered. */
  async connect(): Promise<void> {
    this.#socket?.socket.terminate();
    this.reconnectCount++;
    // Messages of the old socket are applied before the new one continues.
    this.#socket = undefined;
    await this.#working;
    const socket = await LiveClient.open(this.#books());
    this.#socket = socket;
    void socket.closed.then(({ code, reason }) => this.#lost(socket, code, reason));
    let taken = 0;
    socket.socket.on('message', () => {
      for (const message of socket.messages.slice(taken)) this.#hear(socket, message);
      taken = socket.messages.length;
    });
    this.#mayRepeat = false;
    this.#greet();
    for (const sent of this.#pending.values()) this.#send(sent);
  }

  /** Handles a closed socket; the next step connects again. */
  #lost(socket: LiveClient, code: number, reason: string): void {
    if (socket !== this.#socket) return;
    this.#socket = undefined;
    if (!this.#expectedEnds.has(code)) this.faults.push(`closed with ${code}: ${reason}`);
  }

  /** Connects again; returns false if nobody answers. */
  async comeBack(): Promise<boolean> {
    try {
      await this.connect();
      return true;
    } catch (error) {
      // A killed process refuses, a starting one says so, and a paused one is silent.
      const { message } = error as Error;
      if (!/ECONNREFUSED|ECONNRESET|hang up|timed out|response: 50[03]/u.test(message)) {
        this.faults.push(`connecting: ${message}`);
      }
      return false;
    }
  }

  /** Requests what comes after its state, at any time. */
  hello(): void {
    // Frames that were under way at the greeting come again.
    this.#mayRepeat = true;
    this.#greet();
  }

  #greet(): void {
    const { name: writer, appliedSeq: lastSeq } = this;
    this.#socket?.send({ kind: 'hello', protocol: 1, writer, lastSeq });
  }

  submit(ops: readonly Omit<SentOperation, 'id'>[]): void {
    const submission = `${this.name}-${this.#submissionCount++}`;
    const named = ops.map((op, at) => ({ id: `${submission}.${at}`, ...op }));
    const sent = { submission, baseSeq: this.appliedSeq, ops: named };
    this.#pending.set(submission, sent);
    this.#send(sent);
  }

  /** Loses the connection without closing it. */
  drop(): void {
    this.#socket?.socket.terminate();
    this.#socket = undefined;
  }

  get isConnected(): boolean {
    return this.#socket !== undefined;
  }

  /** Reads nothing for a while, as over a bad line. */
  async stall(milliseconds: number): Promise<void> {
    const socket = this.#socket?.socket;
    socket?.pause();
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    socket?.resume();
  }

  /** Resolves when everything is answered and applied. */
  async settle(): Promise<void> {
    const end = Date.now() + settleMilliseconds;
    while ((this.#pending.size > 0 || !this.isConnected) && Date.now() < end) {
      if (!this.isConnected) await this.comeBack();
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    if (this.#pending.size > 0)
      this.faults.push(`no answer to ${[...this.#pending.keys()].join()}`);
    await this.#answered();
    await this.#working;
  }

  /**
   * Resolves when all submissions are answered, or the socket is lost; a silent one is given up.
   */
  async #answered(): Promise<void> {
    const socket = this.#socket;
    if (!socket) return;
    const settled = socket.settled().catch(() => {
      if (socket === this.#socket) this.drop();
    });
    await Promise.race([settled, socket.closed]);
  }

  hash(): string {
    return drive(this.state.stateHash());
  }

  #send({ submission, baseSeq, ops }: Sent): void {
    this.#socket?.send({ kind: 'submit_ops', submission, baseSeq, ops });
  }

  #hear(socket: LiveClient, message: LiveMessage): void {
    this.#working = this.#working
      .then(() => (socket === this.#socket ? this.#take(message) : undefined))
      .catch((error: unknown) => void this.faults.push(String(error)));
  }

  async #take(message: LiveMessage): Promise<void> {
    if (message.kind === 'op_applied') {
      for (const op of message['ops'] as StreamOp[]) this.#apply(op);
    } else if (message.kind === 'ack') this.#acknowledge(message);
    else if (message.kind === 'gap') await this.#load(message);
  }

  #apply({ seq, kind, payload, noop }: StreamOp): void {
    if (this.#mayRepeat && seq <= this.appliedSeq) return;
    if (seq !== this.appliedSeq + 1) {
      this.faults.push(`${seq} came behind ${this.appliedSeq}`);
      return;
    }
    const operation = JSON.parse(JSON.stringify({ kind, payload })) as Operation;
    drive(replay(this.state, operation, noop === true ? { noop } : {}));
  }

  /** Applies own operations at the place of their acknowledgement. */
  #acknowledge({ submission, status, firstSeq, results }: LiveMessage): void {
    const sent = this.#pending.get(submission as string);
    if (!sent) return;
    const told = results as Result[];
    const isInStream = status !== 'duplicate' && typeof firstSeq === 'number';
    const own = new Map(sent.ops.map((op) => [op.id, op]));
    for (const result of told) {
      this.#note(result);
      if (!isInStream || result.seq === undefined || result.seq < firstSeq) continue;
      this.#apply(appliedAs(result, own.get(result.id), result.seq));
    }
    if (told.some(mayGoBetter)) setTimeout(() => this.#send(sent), 50);
    else this.#pending.delete(sent.submission);
  }

  #note(result: Result): void {
    const isRepeat = result.status === 'duplicate' && this.outcomes.has(result.id);
    if (!isRepeat && !mayGoBetter(result)) this.outcomes.set(result.id, result);
  }

  async #load({ reason, toSeq, recover }: LiveMessage): Promise<void> {
    this.gapCount++;
    const { ops } = recover as { readonly ops: string | null };
    if (ops === null) throw new Error(`there is no way over the gap ${String(reason)}`);
    const { credential, service } = this.#books();
    while (this.appliedSeq < (toSeq as number)) {
      const path = ops.replace(/after=\d+/u, `after=${this.appliedSeq}`);
      const { json, text } = await service.request(path, { credential });
      const page = (json as { ops?: StreamOp[] }).ops ?? [];
      if (page.length === 0) throw new Error(text);
      for (const op of page) if (op.seq <= (toSeq as number)) this.#apply(op);
    }
  }
}

function mayGoBetter({ error }: Result): boolean {
  return error?.retryable === true;
}

/** Returns an operation as applied: as it was sent, unless the result says otherwise. */
function appliedAs(result: Result, own: SentOperation | undefined, seq: number): StreamOp {
  const { kind = own?.kind ?? '', payload = own?.payload, noop } = result;
  return { seq, kind, payload, noop };
}
