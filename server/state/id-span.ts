/** Consecutive ids of one run: (branch, sequence, offset), (branch, sequence, offset + 1), … */
export interface IdSpan {
  readonly branch: number;
  readonly sequence: number;
  readonly offset: number;
  readonly length: number;
}

/** The id of one row or column; equal for ever, whatever moves around it. */
export interface LineId {
  readonly branch: number;
  readonly sequence: number;
  readonly offset: number;
}

/** Consecutive positions, and where their ids stand in the span that was looked up. */
export interface Piece {
  readonly position: number;
  readonly length: number;
  /** Ids of the looked-up span before this piece. */
  readonly skipped: number;
}

const branchesMost = 65_536;

/** One number for a run; branch numbers stay below 65,536 and sequences below 2^37. */
export function runKey(branch: number, sequence: number): number {
  return sequence * branchesMost + branch;
}

/** The ids from an offset of a run. */
export function spanOfRun(run: number, offset: number, length: number): IdSpan {
  return { branch: run % branchesMost, sequence: Math.floor(run / branchesMost), offset, length };
}

/** Negative when `a` comes first; ids of one run are neighbours. */
export function compareIds(a: LineId, b: LineId): number {
  return a.sequence - b.sequence || a.branch - b.branch || a.offset - b.offset;
}

export function isSameRun(a: LineId, b: LineId): boolean {
  return a.sequence === b.sequence && a.branch === b.branch;
}

/** Appends a span, joining it to the last one where their ids continue each other. */
export function pushSpan(spans: IdSpan[], span: IdSpan): void {
  if (span.length === 0) return;
  const last = spans.at(-1);
  const continues =
    last !== undefined && isSameRun(last, span) && last.offset + last.length === span.offset;
  if (continues) spans[spans.length - 1] = { ...last, length: last.length + span.length };
  else spans.push(span);
}
