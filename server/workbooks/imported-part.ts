import type { DroppedPart } from '../model/file-reader.ts';
import type { Operation } from '../model/operation.ts';
import type { RejectionError } from '../model/rejection.ts';

/** A part of a file that the journal refused: the rest is kept, and this is listed. */
export function listAsDropped(operation: Operation, error: RejectionError): DroppedPart {
  const { kind, payload } = operation;
  const sheet = 'sheet' in payload && payload.sheet !== undefined ? `${payload.sheet}!` : '';
  const why = error.message;
  switch (kind) {
    case 'cells.set':
      return {
        what: 'cells',
        where: `${sheet}${payload.cells[0]?.a1 ?? ''}`,
        count: payload.cells.length,
        why,
      };
    case 'range.set':
    case 'range.fill':
    case 'numfmt.set':
      return { what: 'cells', where: `${sheet}${payload.range}`, count: 1, why };
    case 'format.set':
      return { what: 'formats', where: `${sheet}${payload.range}`, count: 1, why };
    case 'name.set':
      return { what: 'defined name', where: payload.name, count: 1, why };
    default: {
      const place = placeOf(payload);
      const where = place === undefined ? {} : { where: sheet + place };
      return { what: kind, ...where, count: 1, why };
    }
  }
}

function placeOf(payload: Operation['payload']): string | undefined {
  if ('ranges' in payload) return payload.ranges?.join(',');
  if ('range' in payload && payload.range !== undefined) return payload.range;
  return 'a1' in payload ? payload.a1 : undefined;
}
