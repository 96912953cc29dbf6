import { columnLimit } from '../../model/address.ts';

/** The parts of a URI of this server. */
export type NamedResource =
  | { readonly kind: 'summary'; readonly workbook: string; readonly ref: string }
  | {
      readonly kind: 'range';
      readonly workbook: string;
      readonly ref: string;
      readonly range: string;
    }
  | {
      readonly kind: 'table';
      readonly workbook: string;
      readonly ref: string;
      readonly table: string;
    }
  | { readonly kind: 'merge'; readonly workbook: string; readonly merge: string }
  | { readonly kind: 'checkpoint' }
  | { readonly kind: 'document'; readonly name: string };

/** Longer ones name nothing: a range and two names at most. */
const lengthMost = 100 + columnLimit / 8;

/** Templates as shown to clients; each part is escaped, an address as `ns%2Fname`. */
export const uriTemplates = {
  summary: 'wb://{workbook}/{ref}/summary',
  range: 'wb://{workbook}/{ref}/{range}.csv',
  table: 'wb://{workbook}/{ref}/tables/{table}.csv',
  merge: 'wb://{workbook}/merges/{merge_id}',
  document: 'doc://{name}',
} as const;

export const checkpointUri = 'wb://tlog/checkpoint';

type Made = (parts: readonly string[]) => NamedResource;

/** Forms of a URI, each with what its parts name. */
const forms: readonly (readonly [RegExp, Made])[] = [
  [/^wb:\/\/tlog\/checkpoint$/, () => ({ kind: 'checkpoint' })],
  [/^doc:\/\/([\w.-]+)$/, ([name = '']) => ({ kind: 'document', name })],
  [
    /^wb:\/\/([^/]+)\/merges\/([^/]+)$/,
    ([workbook = '', merge = '']) => ({ kind: 'merge', workbook, merge }),
  ],
  [
    /^wb:\/\/([^/]+)\/([^/]+)\/summary$/,
    ([workbook = '', ref = '']) => ({ kind: 'summary', workbook, ref }),
  ],
  [
    /^wb:\/\/([^/]+)\/([^/]+)\/tables\/([^/]+)\.csv$/,
    ([workbook = '', ref = '', table = '']) => ({ kind: 'table', workbook, ref, table }),
  ],
  [
    /^wb:\/\/([^/]+)\/([^/]+)\/([^/]+)\.csv$/,
    ([workbook = '', ref = '', range = '']) => ({ kind: 'range', workbook, ref, range }),
  ],
];

/** Returns undefined for a URI that fits no template. */
export function readUri(uri: string): NamedResource | undefined {
  if (uri.length > lengthMost) return undefined;
  for (const [form, make] of forms) {
    const parts = form.exec(uri)?.slice(1).map(unescaped);
    if (parts) return parts.includes(undefined) ? undefined : make(parts as string[]);
  }
  return undefined;
}

export function summaryUri(workbook: string, ref: string): string {
  return `wb://${encodeURIComponent(workbook)}/${encodeURIComponent(ref)}/summary`;
}

function unescaped(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
