import { Packr } from 'msgpackr';

import { Failure } from '../model/failure.ts';
import { openBody } from '../../workers/bodies/body-source.ts';
import { isObject } from '../model/plain-json.ts';
import { ProtocolFault } from './close-codes.ts';

/** The encodings of messages; `events` (server-sent events) is for output only. */
export type Framing = 'json' | 'msgpack' | 'events';

const packr = new Packr({ useRecords: false, variableMapSize: true, encodeUndefinedAsNil: true });

/** Returns a value in MessagePack. */
export function packed(value: unknown): Buffer {
  return packr.pack(value);
}

interface PackedList {
  /** The member of the message that the list stands for. */
  readonly name: string;
  /** Each in MessagePack, a character for each byte. */
  readonly items: readonly string[];
}

/** Returns a message of at most 15 members in MessagePack, with a list that is packed already. */
export function packedWithList(message: object, { name, items }: PackedList): Buffer {
  const members = Object.entries(message);
  const pieces = members.flatMap(([key, value]) => {
    return key === name
      ? [packed(key), listHead(items.length), Buffer.from(items.join(''), 'latin1')]
      : [key, value].map((one) => packed(one));
  });
  return Buffer.concat([Buffer.of(mapOfFew + members.length), ...pieces]);
}

const mapOfFew = 0x80;
const listOfFew = 0x90;
const listOfMany = 0xdc;

/** Returns the head of a list of at most 65,535 items (MessagePack specification, array format). */
function listHead(count: number): Buffer {
  return count < 16
    ? Buffer.of(listOfFew + count)
    : Buffer.of(listOfMany, count >> 8, count & 0xff);
}

/** A message for any number of sockets, encoded once for each framing. */
export class Frame {
  readonly #message: object;
  readonly #pack: (() => Buffer) | undefined;
  #json: Buffer | undefined;
  #msgpack: Buffer | undefined;
  #event: Buffer | undefined;

  /**
   * Takes the encoded text if it is known already; the message then needs only what an event needs.
   */
  constructor(message: object, encoded?: { readonly json: string; readonly pack: () => Buffer }) {
    this.#message = message;
    this.#json = encoded && Buffer.from(encoded.json);
    this.#pack = encoded?.pack;
  }

  bytes(framing: Framing): Buffer {
    if (framing === 'msgpack') return (this.#msgpack ??= this.#pack?.() ?? packed(this.#message));
    if (framing === 'events') return (this.#event ??= this.#asEvent());
    return (this.#json ??= Buffer.from(JSON.stringify(this.#message)));
  }

  /** Returns the message as an event. Its id is the last operation that a client has after it. */
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

/** Returns the members of a welcome that a client of events needs. */
function startOf(message: object): string {
  const members = Object.entries(message).filter(([name]) => startMembers.includes(name));
  return JSON.stringify(Object.fromEntries(members));
}

/**
 * Decodes a frame of a client; throws a `ProtocolFault` unless it is a single map in the right
 * framing.
 */
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
  if (isObject(value)) return value;
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
