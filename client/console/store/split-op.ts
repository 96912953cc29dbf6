import { parseRange, rangeName } from '../../../server/model/range.ts';
import { memberText, type Op } from './overlay.ts';

/** Characters of an operation: a frame has at most 1 MiB, and a character up to three bytes. */
const charactersMost = 300_000;

/** Returns a pasted block in pieces that fit a frame of the websocket. */
export function splitOp(op: Op): Op[] {
  const inputs = op.payload['inputs'] as readonly (readonly unknown[])[] | undefined;
  const range = parseRange(memberText(op.payload, 'range'));
  if (op.kind !== 'range.set' || !inputs || !range) return [op];
  if (JSON.stringify(inputs).length <= charactersMost) return [op];
  const width = inputs[0]?.length ?? 0;
  const half = Math.ceil(inputs.length / 2);
  const middle = Math.ceil(width / 2);
  const piece = (rows: [number, number], columns: [number, number]): Op => ({
    ...op,
    payload: {
      ...op.payload,
      range: rangeName({
        row0: range.row0 + rows[0],
        row1: range.row0 + rows[1] - 1,
        column0: range.column0 + columns[0],
        column1: range.column0 + columns[1] - 1,
      }),
      inputs: inputs.slice(...rows).map((row) => row.slice(...columns)),
    },
  });
  if (inputs.length > 1) {
    return [
      ...splitOp(piece([0, half], [0, width])),
      ...splitOp(piece([half, inputs.length], [0, width])),
    ];
  }
  if (width <= 1) return [op];
  return [...splitOp(piece([0, 1], [0, middle])), ...splitOp(piece([0, 1], [middle, width]))];
}
