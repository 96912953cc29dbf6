import type { MessagePort } from 'node:worker_threads';

import { Failure } from '../../server/model/failure.ts';
import { packFailure, type PortableFailure } from '../../server/model/portable-failure.ts';
import { Credit } from '../credit.ts';

/** A port on which each message costs a credit. */
export interface CreditedPort {
  readonly port: MessagePort;
  readonly credit: SharedArrayBuffer;
}

/** Messages that end every sequence. */
export type LastMessage =
  | { readonly kind: 'end' }
  | { readonly kind: 'failure'; readonly failure: PortableFailure };

/**
 * Posts messages, each for a credit, and then the end, or the failure that stopped them; closes the
 * port. Throws only for a bug.
 */
export function postMessages(
  to: CreditedPort,
  messages: Iterable<{ readonly kind: string }>,
): void {
  const { port } = to;
  const credit = new Credit(to.credit);
  const end = (message: LastMessage): void => port.postMessage(message);
  try {
    for (const message of messages) {
      credit.take();
      port.postMessage(message);
    }
    end({ kind: 'end' });
  } catch (failure) {
    if (!(failure instanceof Failure)) throw failure;
    end({ kind: 'failure', failure: packFailure(failure) });
  } finally {
    port.close();
  }
}
