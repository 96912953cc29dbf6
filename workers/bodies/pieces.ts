import { slices } from './check-spans.ts';
import type { BodySource, Span } from './body-source.ts';

/** Bytes that are posted at a time: parsing them takes about half a millisecond. */
const pieceBytes = 64 * 1024;

/**
 * Part of a value on its way to another thread, as JSON, which is parsed in half the time of a
 * structured clone.
 */
export interface Piece {
  /** Position in the value; the parts above it came before. */
  readonly path: readonly (string | number)[];
  /** `items` are appended to the list at the path, `members` are added to the object there. */
  readonly kind: 'value' | 'items' | 'members';
  readonly text: string;
}

/** Cuts a value into pieces of about `pieceBytes`; only a single long text makes a larger one. */
export function* piecesOf(
  source: BodySource,
  span: Span,
  most = pieceBytes,
  path: Piece['path'] = [],
): Generator<Piece, void> {
  const kind = source.typeOf(span);
  if (kind === 'other' || span.end - span.start <= most) {
    yield { path, kind: 'value', text: source.text(span) };
  } else if (kind === 'object') {
    yield { path, kind: 'value', text: '{}' };
    yield* memberPieces(source, span, { most, path });
  } else {
    yield { path, kind: 'value', text: '[]' };
    for (const slice of slices(source, span, most)) {
      if (slice.count === 1) yield* piecesOf(source, slice, most, [...path, slice.index]);
      else yield { path, kind: 'items', text: source.text(slice, true) };
    }
  }
}

function* memberPieces(
  source: BodySource,
  span: Span,
  { most, path }: { most: number; path: Piece['path'] },
): Generator<Piece, void> {
  let texts: string[] = [];
  let byteCount = 0;
  for (const member of source.members(span)) {
    const memberBytes = member.end - member.start;
    if (memberBytes > most) {
      yield* piecesOf(source, member, most, [...path, member.name]);
      continue;
    }
    texts.push(`${JSON.stringify(member.name)}:${source.text(member)}`);
    byteCount += memberBytes + member.name.length;
    if (byteCount < most) continue;
    yield { path, kind: 'members', text: `{${texts.join()}}` };
    [texts, byteCount] = [[], 0];
  }
  if (texts.length > 0) yield { path, kind: 'members', text: `{${texts.join()}}` };
}

/** Rebuilds a value from its pieces. */
export class Assembly {
  #value: unknown;

  get value(): unknown {
    return this.#value;
  }

  add({ path, kind, text }: Piece): void {
    const part: unknown = JSON.parse(text);
    const step = path.at(-1);
    if (kind === 'items') append(this.#at(path), part);
    else if (kind === 'members') Object.assign(this.#at(path), part);
    else if (step === undefined) this.#value = part;
    else Reflect.set(this.#at(path.slice(0, -1)), step, part);
  }

  #at(path: Piece['path']): object {
    let found = this.#value;
    for (const step of path) found = Reflect.get(asParent(found), step);
    return asParent(found);
  }
}

/** Appends one by one: as arguments of one call the items would not fit the stack. */
function append(list: object, items: unknown): void {
  if (!Array.isArray(list) || !Array.isArray(items)) throw new Error('a piece is no list');
  for (const item of items) list.push(item);
}

function asParent(value: unknown): object {
  if (typeof value === 'object' && value !== null) return value;
  throw new Error('a piece has no place');
}
