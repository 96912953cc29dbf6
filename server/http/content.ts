import type { SpooledBody } from '../model/body-spool.ts';
import { Failure } from '../model/failure.ts';
import { bodyLimits } from '../model/limits.ts';
import type { LargeBodies } from '../model/large-bodies.ts';
import type { BodyFormat } from '../../workers/bodies/body-source.ts';
import { inflateBody, isPacked } from './body.ts';
import type { IncomingBody } from './body.ts';
import type { HeldBytes } from './byte-budget.ts';
import { ByteBlocks } from './byte-blocks.ts';
import { decode } from './decode.ts';
import { jsonType, msgpackTypes } from './negotiate.ts';
import type { FileBody, Route } from './route.ts';

/** A body as bytes and as a value; a file has only bytes. */
export interface Content {
  /** Bytes of the body or, for a large one, their digest, which is enough to compare bodies. */
  readonly bytes: Buffer;
  readonly body: unknown;
  /** True when the body was already checked by the schema of the route. */
  readonly isChecked: boolean;
  readonly file: FileBody | undefined;
}

export interface ContentParts {
  readonly largeBodies: LargeBodies | undefined;
  readonly signal: () => AbortSignal;
}

/** The way to read a body, determined by the head of the request. */
export interface Reading {
  readonly mediaType: string;
  /** Format of the body; undefined for a file that the handler takes as it is. */
  readonly format: BodyFormat | undefined;
}

type Headers = ReadonlyMap<string, string>;

/** Determines how to read the body; fails for a media type that the route does not take. */
export function readingOf(route: Route, headers: Headers): Reading {
  const contentType = headers.get('content-type');
  const mediaType = mediaTypeOf(headers);
  const packed = route.host === 'api' ? msgpackTypes : [];
  if (route.files?.includes(mediaType) === true) return { mediaType, format: undefined };
  if (mediaType === jsonType && isUtf8(contentType)) return { mediaType, format: 'json' };
  if (packed.includes(mediaType)) return { mediaType, format: 'msgpack' };
  const accepted = [jsonType, ...packed, ...(route.files ?? [])].join(', ');
  throw new Failure('unsupportedMediaType', {
    detail:
      contentType === undefined
        ? 'There is no Content-Type.'
        : `Content-Type is ${shown(contentType)}.`,
    hint: `Send Content-Type: ${accepted}.`,
    headers: { Accept: accepted },
  });
}

function mediaTypeOf(headers: Headers): string {
  return headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/**
 * Reads the body. Without one, the value is undefined, or an empty object if the route takes a
 * body.
 */
export async function readContent(
  route: Route,
  headers: Headers,
  incoming: { body: IncomingBody; held: HeldBytes } | undefined,
  parts: ContentParts,
): Promise<Content> {
  if (incoming === undefined) return noContent(route, headers);
  const received = await incoming.body.received;
  if (received instanceof Failure) throw received;
  if (received.byteCount === 0) return noContent(route, headers);
  const reading = readingOf(route, headers);
  const encoding = headers.get('content-encoding');
  if (!(received instanceof ByteBlocks)) {
    const spooled = { ...received, isPacked: isPacked(encoding) };
    const file = new ReceivedFile(reading.mediaType, new ByteBlocks(), spooled);
    return { bytes: spooled.digest, body: undefined, isChecked: true, file };
  }
  const blocks = await inflateBody(received, {
    encoding,
    limitBytes: route.bodyLimitBytes ?? bodyLimits.defaultBytes,
    ratio: inflateRatioOf(route),
    held: incoming.held,
  });
  const isLarge = blocks.byteCount > bodyLimits.wholeBytes;
  const isCompared = headers.has('idempotency-key') || route.keyMember !== undefined;
  const bytes = !isLarge ? blocks.whole : isCompared ? await blocks.digest() : noBytes;
  if (reading.format === undefined) return fileContent(reading, blocks, bytes);
  if (isLarge) return largeContent(route, { blocks, bytes, reading }, parts);
  return {
    bytes,
    body: decode(bytes, reading.format, route.texts ?? 'unicode'),
    isChecked: false,
    file: undefined,
  };
}

/** Only bodies with rows may be spooled. */
function inflateRatioOf({ spoolLimitBytes }: Route): number {
  return spoolLimitBytes === undefined ? bodyLimits.inflateRatio : bodyLimits.rowsInflateRatio;
}

const noBytes = Buffer.alloc(0);

function fileContent({ mediaType }: Reading, blocks: ByteBlocks, bytes: Buffer): Content {
  if (mediaType === formType) checkForm(blocks.whole);
  return { bytes, body: undefined, isChecked: true, file: new ReceivedFile(mediaType, blocks) };
}

interface LargeContent {
  readonly blocks: ByteBlocks;
  readonly bytes: Buffer;
  readonly reading: Reading;
}

async function largeContent(
  route: Route,
  { blocks, bytes, reading }: LargeContent,
  { largeBodies, signal }: ContentParts,
): Promise<Content> {
  const { mediaType, format = 'json' } = reading;
  const rule = route.texts ?? 'unicode';
  if (largeBodies === undefined) {
    const body = decode(blocks.whole, format, rule);
    return { bytes, body, isChecked: false, file: undefined };
  }
  if (route.largeBody === 'file') {
    return { bytes, body: undefined, isChecked: true, file: new ReceivedFile(mediaType, blocks) };
  }
  const isSubmission = route.largeBody === 'submission';
  const raw = { chunks: blocks.chunks, format, rule, signal: signal() };
  const body = await largeBodies.read(raw, isSubmission ? 'submission' : 'any');
  return { bytes, body, isChecked: isSubmission, file: undefined };
}

class ReceivedFile implements FileBody {
  readonly mediaType: string;
  readonly spooled: SpooledBody | undefined;
  readonly #blocks: ByteBlocks;

  constructor(mediaType: string, blocks: ByteBlocks, spooled?: SpooledBody) {
    this.mediaType = mediaType;
    this.spooled = spooled;
    this.#blocks = blocks;
  }

  get bytes(): Uint8Array {
    return this.#blocks.whole;
  }

  get chunks(): readonly Uint8Array[] {
    return this.#blocks.chunks;
  }
}

function noContent(route: Route, headers: Headers): Content {
  const { body } = route.request;
  const mediaType = mediaTypeOf(headers);
  const isFile = mediaType !== formType && route.files?.includes(mediaType) === true;
  if (isFile && route.bodyOptional === true) {
    throw new Failure('invalidFile', {
      detail: `The body has no bytes, and Content-Type says that it is ${mediaType}.`,
      hint: 'Send the file as the body, as curl --data-binary @FILE does.',
    });
  }
  if (body !== undefined && route.bodyOptional !== true) {
    throw new Failure('invalidRequest', {
      detail: 'The request has no body, and this route needs one.',
      errors: [{ pointer: '', code: 'required', message: 'Send a body.' }],
    });
  }
  const empty = body === undefined ? undefined : {};
  return { bytes: noBytes, body: empty, isChecked: false, file: undefined };
}

function isUtf8(contentType = ''): boolean {
  const charset = /charset\s*=\s*"?([^\s;"]+)/i.exec(contentType)?.[1];
  return charset === undefined || charset.toLowerCase() === 'utf-8';
}

const formType = 'application/x-www-form-urlencoded';

/** Fails when a field of a form has U+0000. */
function checkForm(bytes: Buffer): void {
  if (!bytes.includes(0) && !bytes.includes('%00')) return;
  throw new Failure('invalidRequest', {
    detail: 'The form has the character U+0000, which no text may have.',
    hint: 'Take the character out and send it again.',
  });
}

function shown(text: string): string {
  return text.slice(0, 100).replaceAll(/[^\x20-\x7e]/g, '?');
}
