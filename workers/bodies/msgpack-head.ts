import { Failure } from '../../server/model/failure.ts';

export type Kind = 'object' | 'list' | 'other';

/** Head of a value: its type, the number of its parts and where they begin. */
export interface Head {
  readonly kind: Kind;
  readonly count: number;
  /** End of the head, or of the value if it has no parts. It may be beyond the bytes at hand. */
  readonly end: number;
}

/** Reads the head of a value of plain msgpack; undefined if the bytes end within it. */
export function headAt(bytes: Buffer, start: number): Head | undefined {
  const type = bytes[start];
  if (type === undefined) return undefined;
  if (type < 0x80 || type >= 0xe0) return scalar(start + 1);
  if (type < 0x90) return { kind: 'object', count: type & 0x0f, end: start + 1 };
  if (type < 0xa0) return { kind: 'list', count: type & 0x0f, end: start + 1 };
  if (type < 0xc0) return scalar(start + 1 + (type & 0x1f));
  const fixed = fixedBytes[type];
  if (fixed !== undefined) return scalar(start + 1 + fixed);
  const counted = countedTypes[type];
  if (counted === undefined) throw broken(`The body has the type 0x${type.toString(16)}.`);
  const [kind, size] = counted;
  const end = start + 1 + size;
  if (end > bytes.length) return undefined;
  const count = bytes.readUIntBE(start + 1, size);
  return kind === 'other' ? scalar(end + count) : { kind, count, end };
}

function scalar(end: number): Head {
  return { kind: 'other', count: 0, end };
}

/** Bytes after the first one of nil, booleans, floats and integers. */
const fixedBytes: Readonly<Record<number, number>> = {
  0xc0: 0,
  0xc2: 0,
  0xc3: 0,
  0xca: 4,
  0xcb: 8,
  0xcc: 1,
  0xcd: 2,
  0xce: 4,
  0xcf: 8,
  0xd0: 1,
  0xd1: 2,
  0xd2: 4,
  0xd3: 8,
};

/** Types of texts, lists and maps, with the number of bytes of their length. */
const countedTypes: Readonly<Record<number, readonly [Kind, number]>> = {
  0xd9: ['other', 1],
  0xda: ['other', 2],
  0xdb: ['other', 4],
  0xdc: ['list', 2],
  0xdd: ['list', 4],
  0xde: ['object', 2],
  0xdf: ['object', 4],
};

/** Returns where the bytes of a text begin; undefined if the value is no text. */
export function textStart(bytes: Buffer, start: number): number | undefined {
  const type = bytes[start] ?? 0;
  if (type >= 0xa0 && type < 0xc0) return start + 1;
  return type >= 0xd9 && type <= 0xdb ? start + 1 + (1 << (type - 0xd9)) : undefined;
}

/** Refuses an integer of 64 bits that is no exact number of JavaScript. */
export function checkInteger(bytes: Buffer, start: number): void {
  const type = bytes[start];
  if (type !== 0xcf && type !== 0xd3) return;
  const at = start + 1;
  const value = type === 0xcf ? bytes.readBigUInt64BE(at) : bytes.readBigInt64BE(at);
  if (value > integerMost || value < -integerMost) {
    throw broken(`The integer ${value} is beyond 2^53: send it as a text, or as a float.`);
  }
}

const integerMost = 2n ** 53n;

export const typesHint =
  'Send numbers, texts, booleans, nil, arrays and maps with texts as keys; binary and extension types are not taken.';

export function broken(detail: string): Failure {
  return new Failure('invalidMsgpack', { detail, hint: typesHint });
}

export function cutOff(): Failure {
  return broken('The body ends in the middle of a value.');
}
