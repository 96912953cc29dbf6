import { cutText } from '../../server/model/cut-text.ts';
import { assign, type Pairing } from './assignment.ts';
import { decisions } from './options.ts';
import { textAt } from './prepared.ts';
import type { Judged } from './ranking.ts';
import type { PackedTexts } from './shared-arrays.ts';

/** Texts and keys of a side as its table shows them; keys are JSON. */
export interface ShownSide {
  readonly texts: PackedTexts;
  readonly keys: PackedTexts;
}

export interface WriteTask extends Judged {
  readonly matchId: string;
  readonly left: ShownSide;
  readonly right: ShownSide;
}

export interface WrittenRows {
  /** Rows in the text format of COPY: match, number, left key, right key, decision, body. */
  readonly blocks: readonly Uint8Array[];
  readonly total: number;
  readonly counts: Readonly<Record<'accept' | 'review' | 'reject' | 'unmatched', number>>;
}

const shownCharacters = 1024;
const rowsPerBlock = 2048;
const encoder = new TextEncoder();

/** Returns the rows of a result for the database; equal inputs make equal bytes. */
export function writeRows(task: WriteTask): WrittenRows {
  const blocks: Uint8Array[] = [];
  const counts = { accept: 0, review: 0, reject: 0, unmatched: 0 };
  let lines: string[] = [];
  let total = 0;
  for (const pairing of assign(task)) {
    count(counts, pairing);
    if (task.rules.include === 'accepted' && pairing.decision !== 'accept') continue;
    lines.push(lineOf(task, pairing, total++));
    if (lines.length < rowsPerBlock) continue;
    blocks.push(encoder.encode(lines.join('')));
    lines = [];
  }
  if (lines.length > 0) blocks.push(encoder.encode(lines.join('')));
  return { blocks, total, counts };
}

function count(counts: Record<keyof WrittenRows['counts'], number>, pairing: Pairing): void {
  counts[pairing.decision]++;
  if (pairing.right === undefined) counts.unmatched++;
}

function lineOf({ matchId, left, right }: WriteTask, pairing: Pairing, number: number): string {
  const { cosine, confidence, decision, reason, rank, detail } = pairing;
  const words = detail === undefined ? '' : `,"detail":${JSON.stringify(detail)}`;
  const leftKey = textAt(left.keys, pairing.left);
  const rightKey = pairing.right === undefined ? 'null' : textAt(right.keys, pairing.right);
  const shownRight = pairing.right === undefined ? null : shown(right.texts, pairing.right);
  const body =
    `{"leftKey":${leftKey},"leftValue":${JSON.stringify(shown(left.texts, pairing.left))},` +
    `"rightKey":${rightKey},"rightValue":${JSON.stringify(shownRight)},` +
    `"score":${cosine ?? null},"decision":"${decision}","verified":${confidence !== undefined},` +
    `"confidence":${confidence ?? null},"reason":"${reason}","rank":${rank}${words}}`;
  const fields = [matchId, String(number), leftKey, rightKey, String(decisions.indexOf(decision))];
  return `${[...fields, body].map(escaped).join('\t')}\n`;
}

function shown(texts: PackedTexts, row: number): string | null {
  const text = textAt(texts, row);
  if (text === '') return null;
  return cutText(text, shownCharacters);
}

/** Escapes a field for COPY; JSON has escaped line ends and tabs already. */
function escaped(field: string): string {
  return field.replaceAll('\\', '\\\\');
}
