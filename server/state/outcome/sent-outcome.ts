import type { Contest, ContestSides } from '../merge/judge.ts';
import { SidesDigest, type Judged } from '../merge/merge-judge.ts';
import type { OperationPart } from '../merge/parts.ts';
import { fromShared, toShared } from '../sharing/shared-value.ts';
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
/** Parts of a large merge have thousands of cells each. */
const partsInPiece = 4;

/** Writes an outcome in pieces of shared memory, for another thread to read one by one. */
export function sendOutcome({ parts, judged, ...told }: WholeOutcome): SharedArrayBuffer[] {
  const sent: Piece[] = [{ kind: 'told', told }];
  for (let at = 0; at < parts.length; at += partsInPiece) {
    sent.push({ kind: 'parts', parts: parts.slice(at, at + partsInPiece) });
  }
  const all = [...judged.values()];
  for (let at = 0; at < all.length; at += judgedInPiece) {
    sent.push({ kind: 'judged', judged: all.slice(at, at + judgedInPiece).map(sentJudged) });
  }
  return sent.map(toShared);
}

function sentJudged({ id, choice, contest }: Judged): SentJudged {
  const { sides, ...rest } = contest;
  return { id, choice, contest: rest, sides: sides() };
}

/** Reads what `sendOutcome` wrote, a piece between two pauses. */
export function* receiveOutcome(
  pieces: readonly SharedArrayBuffer[],
): Generator<void, WholeOutcome> {
  const parts: OperationPart[] = [];
  const judged = new Map<string, Judged>();
  let told: Omit<WholeOutcome, 'parts' | 'judged'> | undefined;
  for (const shared of pieces) {
    const piece = fromShared(shared) as Piece;
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
