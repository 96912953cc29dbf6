import { Failure } from '../model/failure.ts';
import { bodyLimits } from '../model/limits.ts';
import { inflateBody } from './body.ts';
import { decodeJson, decodeMsgpack } from './decode.ts';
import { jsonType, msgpackTypes } from './negotiate.ts';
import type { FileBody, Route } from './route.ts';

/** The body as bytes and as what they say; a file stays bytes. */
export interface Content {
  readonly bytes: Buffer;
  readonly body: unknown;
  readonly file: FileBody | undefined;
}

const noBytes = Buffer.alloc(0);

export async function readContent(
  route: Route,
  headers: ReadonlyMap<string, string>,
  received: Buffer | Failure | undefined,
): Promise<Content> {
  if (received instanceof Failure) throw received;
  if (received === undefined || received.length === 0) return noContent(route);
  const contentType = headers.get('content-type');
  const mediaType = contentType?.split(';', 1)[0]?.trim().toLowerCase();
  const read = readerOf(route, mediaType, contentType);
  const limitBytes = route.bodyLimitBytes ?? bodyLimits.defaultBytes;
  const bytes = await inflateBody(received, headers.get('content-encoding'), limitBytes);
  if (read !== undefined) return { bytes, body: read(bytes), file: undefined };
  return { bytes, body: undefined, file: { mediaType: mediaType ?? '', bytes } };
}

function noContent(route: Route): Content {
  const { body } = route.request;
  if (body !== undefined && route.bodyOptional !== true) {
    throw new Failure('invalidRequest', {
      detail: 'The request has no body, and this route needs one.',
      errors: [{ pointer: '', code: 'required', message: 'Send a body.' }],
    });
  }
  return { bytes: noBytes, body: body === undefined ? undefined : {}, file: undefined };
}

function isUtf8(contentType = ''): boolean {
  const charset = /charset\s*=\s*"?([^\s;"]+)/i.exec(contentType)?.[1];
  return charset === undefined || charset.toLowerCase() === 'utf-8';
}

/** How to read the type; undefined for a file the handler takes as it is. */
function readerOf(
  route: Route,
  mediaType: string | undefined,
  contentType: string | undefined,
): ((bytes: Buffer) => unknown) | undefined {
  const packed = route.host === 'api' ? msgpackTypes : [];
  const type = mediaType ?? '';
  if (route.files?.includes(type) === true) return undefined;
  if (type === jsonType && isUtf8(contentType)) return decodeJson;
  if (packed.includes(type)) return decodeMsgpack;
  const accepted = [jsonType, ...packed, ...(route.files ?? [])].join(', ');
  throw new Failure('unsupportedMediaType', {
    detail: mediaType === undefined ? 'There is no Content-Type.' : `Content-Type is ${mediaType}.`,
    hint: `Send Content-Type: ${accepted}.`,
    headers: { Accept: accepted },
  });
}
