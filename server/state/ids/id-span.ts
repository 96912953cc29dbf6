/**
 * Consecutive ids of one run. A run is the ids that one operation made: (branch, sequence, offset),
 * (branch, sequence, offset + 1), …
 */
export interface IdSpan {
  readonly branch: number;
  readonly sequence: number;
  readonly offset: number;
  readonly length: number;
}

/** The id of one row or column, which never changes. */
export interface LineId {
  readonly branch: number;
  readonly sequence: number;
  readonly offset: number;
}

/** Consecutive positions, and where their ids are in the span that was looked up. */
export interface Piece {
  readonly position: number;
  readonly length: number;
  /** Number of ids of the looked-up span before this piece. */
  readonly skipped: number;
}

const branchesMost = 65_536;

/** Packs a run into one number; branch numbers stay below 65,536 and sequences below 2^37. */
export function runKey(branch: number, sequence: number): number {
  return sequence * branchesMost + branch;
}

/** Makes the span of ids from an offset of a run. */
export function spanOfRun(run: number, offset: number, length: number): IdSpan {
  return { branch: run % branchesMost, sequence: Math.floor(run / branchesMost), offset, length };
}

/** Compares ids so that those of one run are neighbours; negative if `a` is first. */
export function compareIds(a: LineId, b: LineId): number {
  return a.sequence - b.sequence || a.branch - b.branch || a.offset - b.offset;
}

export function isSameRun(a: LineId, b: LineId): boolean {
  return a.sequence === b.sequence && a.branch === b.branch;
}

/** Appends a span, joined to the last one if it continues that. */
export function pushSpan(spans: IdSpan[], span: IdSpan): void {
  if (span.length === 0) return;
  const last = spans.at(-1);
  const continues =
    last !== undefined && isSameRun(last, span) && last.offset + last.length === span.offset;
  if (continues) spans[spans.length - 1] = { ...last, length: last.length + span.length };
  else spans.push(span);
}

/** Yields the ids of columns one by one. */
export function* columnIds(spans: readonly IdSpan[]): Generator<LineId> {
  for (const { branch, sequence, offset, length } of spans) {
    for (let at = 0; at < length; at++) yield { branch, sequence, offset: offset + at };
  }
}

/** Joins spans so that no line is in two of them. */
export function united(spans: readonly IdSpan[]): IdSpan[] {
  const sorted = spans.toSorted(
    (a, b) => runKey(a.branch, a.sequence) - runKey(b.branch, b.sequence) || a.offset - b.offset,
  );
  const found: IdSpan[] = [];
  for (const { branch, sequence, offset, length } of sorted) {
    const last = found.at(-1);
    const isNear =
      last?.branch === branch && last.sequence === sequence && offset <= last.offset + last.length;
    if (!isNear) found.push({ branch, sequence, offset, length });
    else {
      const end = Math.max(last.offset + last.length, offset + length);
      found[found.length - 1] = { ...last, length: end - last.offset };
    }
  }
  return found;
}
