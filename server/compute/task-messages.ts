import type { MessagePort } from 'node:worker_threads';

/**
 * Most pieces a thread may be ahead of its consumer. Many, because a thread that waits cannot
 * calculate: ordinary files are complete before their consumer is.
 */
export const piecesAhead = 256;

/**
 * Yields the messages that a thread posts while its task runs, in order, as many at a time as are
 * there. The taker knows the last message: a thread that waits for its next task does not get to
 * close its end.
 */
export async function* taskMessages<Message>(
  port: MessagePort,
  task: Promise<unknown>,
  batchMost = 1,
): AsyncGenerator<Message[], never> {
  const waiting: Message[] = [];
  let wake: (() => void) | undefined;
  const outcome: { failure?: { error: unknown } } = {};
  const notify = (): void => wake?.();
  port.on('message', (message: Message) => {
    waiting.push(message);
    notify();
  });
  task.catch((error: unknown) => {
    outcome.failure = { error };
    notify();
  });
  try {
    for (;;) {
      if (waiting.length > 0) yield waiting.splice(0, batchMost);
      else if (outcome.failure !== undefined) throw outcome.failure.error;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    port.close();
  }
}

/** Buffers of their own go to the thread; what shares one with others is copied. */
export function buffersOf(chunks: readonly Uint8Array[]): ArrayBuffer[] {
  return chunks.flatMap(({ buffer, byteLength }) =>
    buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [],
  );
}
