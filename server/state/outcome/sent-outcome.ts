import { deserialize, serialize } from 'node:v8';

import type { Contest, ContestSides } from '../merge/judge.ts';
import { SidesDigest, type Judged } from '../merge/merge-judge.ts';
import type { OperationPart } from '../merge/parts.ts';
import type { WholeOutcome } from './whole-outcome.ts';

/** A conflict whose sides were read. */
interface SentJudged extends Pick<Judged, 'id' | 'choice'> {
  readonly contest: Omit<Contest, 'sides'>;
  readonly sides: ContestSides;
}

/** A piece of an outcome, small enough that reading it holds up nobody. */
type Piece =
  | { readonly kind: 'told'; readonly told: Omit<WholeOutcome, 'parts' | 'judged'> }
  | { readonly kind: 'parts'; readonly parts: readonly OperationPart[] }
  | { readonly kind: 'judged'; readonly judged: readonly SentJudged[] };

const judgedInPiece = 256;
const partsInPiece = 64;
/** A part with more cells than this has a piece of its own, or shares one with small ones. */
const pieceBytes = 1 << 17;

/** Writes an outcome in pieces of shared memory, for another thread to read one by one. */
export function sendOutcome({ parts, judged, ...told }: WholeOutcome): SharedArrayBuffer[] {
  const pieces = [written({ kind: 'told', told })];
  let group: OperationPart[] = [];
  let byteCount = 0;
  const close = (): void => {
    if (group.length > 0) pieces.push(written({ kind: 'parts', parts: group }));
    group = [];
    byteCount = 0;
  };
  for (const part of parts) {
    group.push(part);
    byteCount += serialize(part).length;
    if (byteCount >= pieceBytes || group.length === partsInPiece) close();
  }
  close();
  const all = [...judged.values()];
  for (let at = 0; at < all.length; at += judgedInPiece) {
    const sent = all.slice(at, at + judgedInPiece).map(sentJudged);
    pieces.push(written({ kind: 'judged', judged: sent }));
  }
  return pieces;
}

function sentJudged({ id, choice, contest }: Judged): SentJudged {
  const { sides, ...rest } = contest;
  return { id, choice, contest: rest, sides: sides() };
}

function written(piece: Piece): SharedArrayBuffer {
  const bytes = serialize(piece);
  const shared = new SharedArrayBuffer(bytes.length);
  new Uint8Array(shared).set(bytes);
  return shared;
}

/** Reads what `sendOutcome` wrote, a piece between two pauses. */
export function* receiveOutcome(
  pieces: readonly SharedArrayBuffer[],
): Generator<void, WholeOutcome> {
  const parts: OperationPart[] = [];
  const judged = new Map<string, Judged>();
  let told: Omit<WholeOutcome, 'parts' | 'judged'> | undefined;
  for (const shared of pieces) {
    const piece = deserialize(new Uint8Array(shared).slice()) as Piece;
    if (piece.kind === 'told') ({ told } = piece);
    else if (piece.kind === 'parts') parts.push(...piece.parts);
    else for (const sent of piece.judged) judged.set(sent.id, receivedJudged(sent));
    yield;
  }
  if (!told) throw new Error('the outcome of a merge was sent without what is told of it');
  return { ...told, parts, judged };
}

function receivedJudged({ id, choice, contest: rest, sides }: SentJudged): Judged {
  const contest: Contest = { ...rest, sides: () => sides };
  return { id, choice, contest, sides: new SidesDigest(contest) };
}
