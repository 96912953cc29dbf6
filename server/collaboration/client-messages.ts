import { z } from 'zod';

import { parseRange } from '../model/range.ts';
import { faultsOf } from '../model/schema/compile.ts';
import { ProtocolFault } from './close-codes.ts';
import { socketLimits } from './limits.ts';

// Unknown members are ignored, because later clients may send more.

const shortBytes = 128;
const text = (byteCount: number) =>
  z.string().refine((value) => Buffer.byteLength(value) <= byteCount, `at most ${byteCount} bytes`);
const sequence = z.int().min(0);
const base64url = (characters: number) =>
  z.string().regex(new RegExp(`^[A-Za-z0-9_-]{${characters}}$`, 'u'));

const hashCharacters = 43;
const sessionKeyCharacters = 22;
const rangesMost = 64;

const range = text(shortBytes).refine(
  (value) => parseRange(value) !== undefined,
  'not an A1 range such as A1:F40',
);
// Parts of a patch: each member of `viewport` and `editing` can be changed by itself.
const viewport = z.object({ sheet: text(shortBytes).optional(), range: range.optional() });
const editing = z.object({
  cell: text(shortBytes).optional(),
  draft: text(socketLimits.draftBytes).nullable().optional(),
});

/** A merge patch (RFC 7396): null clears a member. */
const presence = z.object({
  sheet: text(shortBytes).nullable().optional(),
  cell: text(shortBytes).nullable().optional(),
  ranges: z.array(text(shortBytes)).max(rangesMost).nullable().optional(),
  viewport: viewport.nullable().optional(),
  editing: editing.nullable().optional(),
  status: z.enum(['active', 'idle']).nullable().optional(),
  label: text(shortBytes).nullable().optional(),
  color: text(shortBytes).nullable().optional(),
});

const writer = z.string().min(1).max(socketLimits.writerCharacters);

const helloSchema = z.object({
  protocol: z.int(),
  client: z
    .object({ name: text(shortBytes).optional(), version: text(shortBytes).optional() })
    .optional(),
  writer: writer.optional(),
  lastSeq: sequence.nullable().optional(),
  lastHash: base64url(hashCharacters).nullable().optional(),
  sessionKey: base64url(sessionKeyCharacters).nullable().optional(),
  want: z
    .object({
      ops: z.boolean().optional(),
      presence: z.boolean().optional(),
      cell_activity: z.enum(['viewport', 'all', 'none']).optional(),
      ownOps: z.enum(['ack', 'full']).optional(),
    })
    .optional(),
  presence: presence.optional(),
});

const presenceUpdateSchema = z.object({ presence });

const submitOpsSchema = z.object({
  submission: text(shortBytes).min(1),
  writer: z.unknown().optional(),
  baseSeq: z.unknown().optional(),
  mode: z.unknown().optional(),
  group: z.unknown().optional(),
  ops: z.array(z.unknown()),
});

const schemas = {
  hello: helloSchema,
  presence_update: presenceUpdateSchema,
  submit_ops: submitOpsSchema,
} as const;

export type Hello = z.output<typeof helloSchema>;
export type PresencePatch = z.output<typeof presence>;
export type SubmitOps = z.output<typeof submitOpsSchema>;

export type ClientMessage =
  | ({ readonly kind: 'hello' } & Hello)
  | ({ readonly kind: 'presence_update' } & z.output<typeof presenceUpdateSchema>)
  | ({ readonly kind: 'submit_ops' } & SubmitOps);

function isKind(kind: unknown): kind is keyof typeof schemas {
  return typeof kind === 'string' && Object.hasOwn(schemas, kind);
}

/**
 * Reads a message; throws a `ProtocolFault`, which ends the socket, for one outside the protocol.
 */
export function readMessage(frame: Readonly<Record<string, unknown>>): ClientMessage {
  const { kind } = frame;
  if (!isKind(kind)) {
    const shown = typeof kind === 'string' ? `"${kind.slice(0, 40)}"` : 'missing';
    throw new ProtocolFault('malformed', `the kind is ${shown}`);
  }
  const schema = schemas[kind];
  const [fault] = faultsOf(schema, frame).faults;
  if (!fault) return { ...schema.parse(frame), kind } as ClientMessage;
  throw new ProtocolFault('malformed', `${kind}${fault.pointer}: ${fault.message}`);
}
