import { MessageChannel } from 'node:worker_threads';

import { Assembly } from '../../workers/bodies/pieces.ts';
import type { BodyContent, BodyMessage } from '../../workers/bodies/read-body.ts';
import { Credit } from '../../workers/credit.ts';
import { Failure } from '../model/failure.ts';
import type { FileEnd } from '../model/file-reader.ts';
import type { LargeBodies, RawBody, ReadCreation } from '../model/large-bodies.ts';
import type { Operation } from '../model/operation.ts';
import { unpackFailure } from '../model/portable-failure.ts';
import { TaskAborted, TaskGivenUp, type Pool } from './pool.ts';
import { buffersOf, taskMessages } from './task-messages.ts';

const readMilliseconds = 60_000;
/**
 * Pieces that a thread may be ahead: this thread takes all that lie ready in one turn, so there
 * should never be many.
 */
const piecesAhead = 2;

/** Reads large bodies in the pool: this thread takes one piece a turn. */
export class PoolBodies implements LargeBodies {
  readonly #pool: Pick<Pool, 'run'>;

  constructor(pool: Pick<Pool, 'run'>) {
    this.#pool = pool;
  }

  async read(body: RawBody, content: 'submission' | 'any'): Promise<unknown> {
    const assembly = new Assembly();
    for await (const message of this.#messages(body, content)) {
      if (message.kind === 'piece') assembly.add(message.piece);
    }
    return assembly.value;
  }

  async readCreation(body: RawBody): Promise<ReadCreation> {
    const messages = this.#messages(body, 'creation');
    const first = await messages.next();
    if (first.done === true || first.value.kind !== 'head') throw new Error('a body has no head');
    const { name, namespace, sheets } = first.value;
    return { name, namespace, sheets, beginning: new ReadOperations(messages) };
  }

  /** Yields the messages up to the end; fails where the body does. */
  async *#messages(body: RawBody, content: BodyContent): AsyncGenerator<BodyMessage, void> {
    const { port1, port2 } = new MessageChannel();
    const credit = new Credit(piecesAhead);
    const { signal, ...sent } = body;
    const payload = { ...sent, content, port: port2, credit: credit.shared };
    const task = this.#pool.run('readBody', payload, {
      timeoutMilliseconds: readMilliseconds,
      ...(signal && { signal }),
      transfer: [port2, ...buffersOf(body.chunks)],
    });
    let isWhole = false;
    try {
      for await (const [message] of taskMessages<BodyMessage>(port1, task)) {
        if (message === undefined) continue;
        isWhole = message.kind === 'end' || message.kind === 'failure';
        if (message.kind === 'failure') throw unpackFailure(message.failure);
        if (message.kind === 'end') return;
        yield message;
        await turn();
        credit.give();
      }
    } catch (error) {
      throw explained(error);
    } finally {
      // Nobody takes the rest: the thread, which may be asleep until somebody does, ends for itself.
      if (!isWhole) credit.giveAll();
    }
  }
}

/** Other requests get the thread between two pieces. */
function turn(): Promise<void> {
  return new Promise((resume) => void setImmediate(resume));
}

/**
 * The operations as they come. Not a generator: one that was never asked for anything would not
 * hear that nobody wants them, and the thread would wait for a taker.
 */
class ReadOperations implements AsyncGenerator<readonly Operation[], FileEnd> {
  readonly #messages: AsyncGenerator<BodyMessage, void>;

  constructor(messages: AsyncGenerator<BodyMessage, void>) {
    this.#messages = messages;
  }

  async next(): Promise<IteratorResult<readonly Operation[], FileEnd>> {
    const step = await this.#messages.next();
    if (step.done === true) return { done: true, value: { dropped: [] } };
    if (step.value.kind !== 'operation') throw new Error('a body has more than operations');
    // Written by the task from a body that it has checked.
    return { done: false, value: [JSON.parse(step.value.text) as Operation] };
  }

  async return(): Promise<IteratorResult<readonly Operation[], FileEnd>> {
    await this.#messages.return();
    return { done: true, value: { dropped: [] } };
  }

  async throw(error: unknown): Promise<never> {
    await this.return();
    throw error;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }
}

function explained(error: unknown): unknown {
  if (!(error instanceof TaskAborted)) return error;
  if (error instanceof TaskGivenUp) {
    return new Failure('bodyTimeout', { detail: 'The client went away.', cause: error });
  }
  return new Failure('unavailable', {
    detail: 'The body could not be read in the time that there is for it.',
    hint: 'Send it again in a moment, or in several smaller requests.',
    headers: { 'Retry-After': '5' },
    cause: error,
  });
}
