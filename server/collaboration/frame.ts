import { Packr } from 'msgpackr';

import { Failure } from '../model/failure.ts';
import { openBody } from '../../workers/bodies/body-source.ts';
import { ProtocolFault } from './close-codes.ts';

/** `events` is that of server-sent events, which nobody sends to the service. */
export type Framing = 'json' | 'msgpack' | 'events';

const packr = new Packr({ useRecords: false, variableMapSize: true, encodeUndefinedAsNil: true });

/** One message on its way to any number of sockets: written once for each framing. */
export class Frame {
  readonly #message: object;
  #json: Buffer | undefined;
  #msgpack: Buffer | undefined;
  #event: Buffer | undefined;

  /** `json` where the text is known already. */
  constructor(message: object, json?: string) {
    this.#message = message;
    this.#json = json === undefined ? undefined : Buffer.from(json);
  }

  bytes(framing: Framing): Buffer {
    if (framing === 'msgpack') return (this.#msgpack ??= packr.pack(this.#message));
    if (framing === 'events') return (this.#event ??= this.#asEvent());
    return (this.#json ??= Buffer.from(JSON.stringify(this.#message)));
  }

  /** Its id is the last operation that a client has which has taken it. */
  #asEvent(): Buffer {
    const { kind, lastSeq, toSeq } = this.#message as EventMembers;
    const seq = kind === 'op_applied' ? lastSeq : kind === 'gap' ? toSeq : undefined;
    const id = seq === undefined ? '' : `id: ${seq}\n`;
    const name = kind === 'presence_snapshot' ? 'start' : kind;
    const data = name === 'start' ? startOf(this.#message) : this.bytes('json').toString();
    return Buffer.from(`${id}event: ${name}\ndata: ${data}\n\n`);
  }
}

interface EventMembers {
  readonly kind: string;
  readonly lastSeq?: number;
  readonly toSeq?: number;
}

const startMembers = ['branch', 'head', 'headHash', 'replay', 'node', 'serverTime', 'archived'];

/** Returns the members of the welcome that are of use to a client that only listens. */
function startOf(message: object): string {
  const members = Object.entries(message).filter(([name]) => startMembers.includes(name));
  return JSON.stringify(Object.fromEntries(members));
}

/** Reads what a client sent; what is not one map in the right framing ends the socket. */
export function readFrame(
  bytes: Uint8Array,
  framing: Framing,
  isBinary: boolean,
): Readonly<Record<string, unknown>> {
  if (isBinary !== (framing === 'msgpack')) {
    const wanted = framing === 'msgpack' ? 'binary' : 'text';
    throw new ProtocolFault('malformed', `workbook.v1.${framing} takes ${wanted} frames`);
  }
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const value = parse(body, framing);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Readonly<Record<string, unknown>>;
  }
  throw new ProtocolFault('malformed', 'a frame is one object');
}

function parse(body: Buffer, framing: Framing): unknown {
  try {
    const source = openBody(body, framing === 'msgpack' ? 'msgpack' : 'json', 'cells');
    return source.value(source.whole);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new ProtocolFault('malformed', error.detail);
  }
}
