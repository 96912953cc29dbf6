import type { DroppedPart } from '../model/file-reader.ts';
import type { Operation } from '../model/operation.ts';
import type { RejectionError } from '../model/rejection.ts';

/** Nouns for the parts that operations of an import bring. */
const nouns: { readonly [kind in Operation['kind']]?: string } = {
  'range.set': 'cells',
  'range.fill': 'cells',
  'numfmt.set': 'cells',
  'format.set': 'formats',
  'name.set': 'defined name',
  'cellmerge.add': 'merged cells',
  'cf.set': 'conditional format',
  'comment.add': 'comment',
  'comment.reply': 'comment',
  'filter.set': 'filter',
  'hyperlink.set': 'link',
  'note.set': 'note',
  'protect.set': 'protection',
  'style.define': 'named style',
  'table.create': 'table',
  'validation.set': 'validation',
};

/** A part of a file that the journal refused: the rest is kept, and this is listed. */
export function listAsDropped(operation: Operation, error: RejectionError): DroppedPart {
  const { kind, payload } = operation;
  const sheet = 'sheet' in payload && payload.sheet !== undefined ? `${payload.sheet}!` : '';
  const why = error.message;
  if (kind === 'cells.set') {
    const where = `${sheet}${payload.cells[0]?.a1 ?? ''}`;
    return { what: 'cells', where, count: payload.cells.length, why };
  }
  const place = placeOf(payload);
  const where = place === undefined ? {} : { where: sheet + place };
  return { what: nouns[kind] ?? kind, ...where, count: 1, why };
}

function placeOf(payload: Operation['payload']): string | undefined {
  if ('ranges' in payload) return payload.ranges?.join(',');
  if ('range' in payload && payload.range !== undefined) return payload.range;
  if ('a1' in payload) return payload.a1;
  return 'name' in payload ? payload.name : undefined;
}
