import { Packr } from 'msgpackr';

import { cellName } from '../../model/address.ts';
import { BlockReader } from '../../../workers/value-block.ts';
import type { AllValues, ValueCell } from '../values.ts';

const packr = new Packr({ useRecords: false, variableMapSize: true });

/**
 * Writes msgpack values: a header, the stored blocks (value-block.ts), and a trailer that proves
 * completeness.
 */
export async function* columnStream(
  header: object,
  { total, blockCount, blocks }: AllValues,
): AsyncGenerator<Uint8Array> {
  yield packr.pack({ ...header, blocks: blockCount });
  yield* blocks;
  yield packr.pack({ end: true, count: total });
}

/** Yields all cells in order. */
export async function* cellsOf({ blocks }: AllValues): AsyncGenerator<ValueCell> {
  for await (const bytes of blocks) {
    const block = new BlockReader(bytes);
    for (const { sheet, row, column, value } of block.cells(0, block.count)) {
      yield { sheet, cell: cellName(row, column), value };
    }
  }
}
