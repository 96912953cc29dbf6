import { jsonType, msgpackTypes } from '../../http/negotiate.ts';
import type { RowsFormat } from '../../model/row-writes.ts';

export const csvType = 'text/csv';

/** The format of rows by the media type that they are sent with. */
export function formatOf(mediaType: string): RowsFormat {
  if (mediaType === csvType) return 'csv';
  if (mediaType === jsonType) return 'json';
  return msgpackTypes.includes(mediaType) ? 'msgpack' : 'ndjson';
}
