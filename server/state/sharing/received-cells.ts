import { Block, cellTag } from '../cells/block.ts';
import { storedColumn, unreadBlock, type CellColumn } from '../cells/cell-column.ts';
import type { HeldBlock, UnreadBlock } from '../cells/held-block.ts';
import type { SheetNaming } from '../cells/identity-reader.ts';
import { SheetCells } from '../cells/sheet-cells.ts';
import type { LineId } from '../ids/order.ts';
import type { NodeSource } from '../nodes/nodes.ts';
import { getBlock, looksLikeArrays } from '../tree/block-node.ts';
import type { FedDictionary } from './fed-dictionary.ts';
import { bytesAt } from './shared-chunks.ts';
import {
  blockRecord,
  lanesAt,
  noDigest,
  type FoundDigests,
  type SharedCells,
  type SharedSheet,
} from './shared-cells.ts';

const digestBytes = 32;

/** Cells that another thread put into shared memory; a block is copied when somebody reads it. */
export class ReceivedCells {
  readonly #shared: SharedCells;
  readonly #dictionary: FedDictionary;
  /** First number of each column in the list of columns. */
  readonly #starts: number[] = [];
  readonly #columns = new Map<number, CellColumn>();
  readonly #blocks = new Map<number, HeldBlock>();

  constructor(shared: SharedCells, dictionary: FedDictionary) {
    this.#shared = shared;
    this.#dictionary = dictionary;
    const { columns } = shared;
    for (let at = 0; at < columns.length; at += 5 + (columns[at + 4] ?? 0)) this.#starts.push(at);
  }

  cellsOf(sheet: SharedSheet, sheetId: string, nameOf: SheetNaming): SheetCells {
    const columns = sheet.columns.map((number) => this.#column(number, sheetId, nameOf));
    return SheetCells.of(columns, sheet.knowsArrays);
  }

  /** Digests that were found since of blocks that came without one. */
  foundDigests(): FoundDigests {
    const numbers: number[] = [];
    const digests: Buffer[] = [];
    for (const [number, held] of this.#blocks) {
      const isKnown = blockRecord(this.#shared.blocks, number).digest !== noDigest.unknown;
      const found = isKnown ? undefined : held.digest;
      if (!found) continue;
      numbers.push(number);
      digests.push(found);
    }
    return {
      blocks: Float64Array.from(numbers),
      digests: new Uint8Array(Buffer.concat(digests)),
    };
  }

  #column(number: number, sheetId: string, nameOf: SheetNaming): CellColumn {
    const known = this.#columns.get(number);
    if (known) return known;
    const { columns } = this.#shared;
    const start = this.#starts[number] ?? -1;
    const [branch = 0, sequence = 0, offset = 0, digest = 0, count = 0] = columns.subarray(start);
    const id = { branch, sequence, offset };
    const numbers = columns.subarray(start + 5, start + 5 + count);
    const blocks = Array.from(numbers, (block) => this.#block(block, { id, sheetId, nameOf }));
    const made = storedColumn(id, blocks, this.#digest(digest));
    this.#columns.set(number, made);
    return made;
  }

  #block(number: number, home: BlockHome): HeldBlock {
    const known = this.#blocks.get(number);
    if (known) return known;
    const held = unreadBlock(home.id, this.#unread(number, home));
    this.#blocks.set(number, held);
    return held;
  }

  #unread(number: number, home: BlockHome): UnreadBlock {
    const record = blockRecord(this.#shared.blocks, number);
    const { place, storedLength, chunk, offset } = record;
    const digest = this.#digest(record.digest);
    const { chunks } = this.#shared;
    const stored = storedLength > 0 ? bytesAt(chunks, { chunk, offset }, storedLength) : undefined;
    const source = storedLength > 0 ? oneNode(stored) : noNodes;
    const read =
      stored && digest
        ? () => this.#readStored(source, digest, { place, ...home })
        : () => this.#readLanes(number, digest);
    // Whoever shared the lanes of a block had read it.
    const mayHoldArrays = (): boolean => stored !== undefined && looksLikeArrays(stored);
    return { place, digest: digest ?? undefined, source, read, mayHoldArrays };
  }

  #readStored(
    source: NodeSource,
    digest: Buffer,
    { place, id, sheetId, nameOf }: BlockHome & Pick<UnreadBlock, 'place'>,
  ): Block {
    const { dictionary } = this.#dictionary.coding;
    return getBlock(source, digest, {
      form: 'ids',
      sheetId,
      column: id,
      place,
      dictionary,
      nameOf,
    });
  }

  #readLanes(number: number, digest: Buffer | null | undefined): Block {
    const record = blockRecord(this.#shared.blocks, number);
    const shared = lanesAt(this.#shared.chunks, record);
    const [tags, numbers, formats] = [
      new Uint8Array(shared.tags),
      new Float64Array(shared.numbers),
      new Uint16Array(shared.formats),
    ];
    const { texts, formulas, styles } = this.#dictionary;
    for (let lane = 0; lane < tags.length; lane++) {
      const tag = tags[lane];
      if (tag === cellTag.text) numbers[lane] = own(texts, numbers[lane]);
      else if (tag === cellTag.formula) numbers[lane] = own(formulas, numbers[lane]);
    }
    for (let lane = 0; lane < formats.length; lane++) {
      if (formats[lane] !== 0) formats[lane] = own(styles, formats[lane]);
    }
    const { place, low, formatLow } = record;
    const block = Block.from(
      place,
      { low, tags, numbers, formatLow, formats },
      digest ?? undefined,
    );
    if (digest === null) block.noteDigest(null);
    return block;
  }

  #digest(number: number): Buffer | null | undefined {
    if (number === noDigest.unknown) return undefined;
    if (number === noDigest.blank) return null;
    const at = number * digestBytes;
    return Buffer.from(this.#shared.digests.subarray(at, at + digestBytes));
  }
}

interface BlockHome {
  /** The id of its column. */
  readonly id: LineId;
  readonly sheetId: string;
  readonly nameOf: SheetNaming;
}

const noNodes: NodeSource = {
  has: () => false,
  get: () => {
    throw new Error('its lanes are at hand');
  },
  weigh: () => undefined,
};

function oneNode(bytes: Uint8Array | undefined): NodeSource {
  return { ...noNodes, has: () => true, get: () => new Uint8Array(bytes ?? []) };
}

function own(indexes: readonly number[], foreign: number | undefined): number {
  const index = indexes[foreign ?? -1];
  if (index === undefined) throw new RangeError(`the entry ${foreign} was not sent`);
  return index;
}
