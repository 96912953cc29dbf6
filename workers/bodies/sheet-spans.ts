import { sheetsOf } from '../../server/model/creation-schema.ts';
import type { WireInput } from '../../server/model/input.ts';
import type { InitialSheet } from '../../server/model/initial-sheets.ts';
import type { BodySource, Span } from './body-source.ts';
import { slices } from './check-spans.ts';

/** Body of POST /v1/workbooks, with the spans of its rows. */
export interface CreationSpans {
  readonly name: string | undefined;
  readonly namespace: string | undefined;
  readonly sheets: readonly InitialSheet[];
}

/** Reads a creation from a body that has been checked. */
export function readCreation(source: BodySource): CreationSpans {
  const { name, namespace, raw, parse, sheets } = membersOf(source, source.whole);
  const read = sheets === undefined ? [] : [...source.items(sheets)];
  return {
    name: textOf(source, name),
    namespace: textOf(source, namespace),
    sheets: sheetsOf({
      raw: flagOf(source, raw),
      parse: flagOf(source, parse),
      sheets: read.map((span) => sheetOf(source, span)),
    }),
  };
}

function sheetOf(source: BodySource, span: Span): InitialSheet {
  const { name, rows, raw, parse } = membersOf(source, span);
  return {
    name: textOf(source, name) ?? '',
    rows: rows && rowsOf(source, rows),
    raw: flagOf(source, raw),
    parse: flagOf(source, parse),
  };
}

function* rowsOf(source: BodySource, rows: Span): Generator<readonly WireInput[], void> {
  // The body has been checked: each item is a list of inputs.
  for (const slice of slices(source, rows)) yield* source.values(slice) as WireInput[][];
}

function membersOf(source: BodySource, span: Span): Readonly<Record<string, Span | undefined>> {
  const members: Record<string, Span> = {};
  for (const { name, start, end } of source.members(span)) members[name] = { start, end };
  return members;
}

function textOf(source: BodySource, span: Span | undefined): string | undefined {
  const value = span && source.value(span);
  return typeof value === 'string' ? value : undefined;
}

function flagOf(source: BodySource, span: Span | undefined): boolean | undefined {
  const value = span && source.value(span);
  return typeof value === 'boolean' ? value : undefined;
}
