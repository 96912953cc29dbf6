import type { Block } from '../state/cells/block.ts';
import { CellCoding } from '../state/cells/cell-coding.ts';
import type { FormulaService } from '../model/formula-service.ts';
import type { BlockPool } from '../state/tree/cells-node.ts';

/** Number of looks at blocks between two sweeps of unused ones. */
const sweepEvery = 4_096;

/** Blocks that some state of the workbook holds, by name; those that none holds vanish. */
class LivingBlocks implements BlockPool {
  readonly #blocks = new Map<string, WeakRef<Block>>();
  #untilSweep = sweepEvery;

  find(name: string): Block | undefined {
    return this.#blocks.get(name)?.deref();
  }

  keep(name: string, block: Block): void {
    this.#blocks.set(name, new WeakRef(block));
    if (--this.#untilSweep > 0) return;
    for (const [key, reference] of this.#blocks) {
      if (reference.deref() === undefined) this.#blocks.delete(key);
    }
    this.#untilSweep = Math.max(sweepEvery, this.#blocks.size);
  }
}

/** Packs whose nodes are remembered; nodes of others are stored again when they are needed. */
const packsMost = 64;
/** Estimated bytes of a hash: its text and its place in the set. */
const hashBytes = 140;
const contentBytes = 1_500;

/** A pack that was read or written. */
interface NotedPack {
  /** Hashes of its nodes, in hex. */
  hashes(): Iterable<string>;
  readonly objectBytes: number;
}

interface KnownPack {
  /** Hashes of its nodes, in hex. */
  readonly hashes: ReadonlySet<string>;
  readonly objectBytes: number;
}

/** The parts that all states of one workbook in this process share. */
export class WorkbookContent {
  readonly workbookId: string;
  readonly coding: CellCoding;
  readonly blocks: BlockPool = new LivingBlocks();
  readonly #packs = new Map<string, KnownPack>();

  #hashCount = 0;

  constructor(workbookId: string, formulas: FormulaService) {
    this.workbookId = workbookId;
    this.coding = new CellCoding(formulas);
  }

  notePack(name: string, pack: NotedPack): void {
    if (this.#packs.has(name)) return;
    const hashes = new Set(pack.hashes());
    this.#packs.set(name, { hashes, objectBytes: pack.objectBytes });
    this.#hashCount += hashes.size;
    if (this.#packs.size <= packsMost) return;
    const [oldest] = this.#packs;
    if (!oldest) return;
    this.#packs.delete(oldest[0]);
    this.#hashCount -= oldest[1].hashes.size;
  }

  /** Returns the bytes of the object of a pack; undefined for an unknown one. */
  packBytes(name: string): number | undefined {
    return this.#packs.get(name)?.objectBytes;
  }

  /** Estimated bytes in memory, without the dictionary and the blocks. */
  get byteCount(): number {
    return contentBytes + this.#hashCount * hashBytes;
  }

  /** Returns whether a node is in one of these packs. */
  isStored(hash: Buffer, packs: readonly string[]): boolean {
    const text = hash.toString('hex');
    return packs.some((name) => this.#packs.get(name)?.hashes.has(text) === true);
  }
}

/** The contents of workbooks in use; one without states is dropped. */
export class WorkbookContents {
  readonly #formulas: FormulaService;
  readonly #contents = new Map<string, WeakRef<WorkbookContent>>();
  readonly #gone: FinalizationRegistry<string>;

  constructor(formulas: FormulaService) {
    this.#formulas = formulas;
    this.#gone = new FinalizationRegistry((workbookId) => {
      if (this.#contents.get(workbookId)?.deref() === undefined) this.#contents.delete(workbookId);
    });
  }

  of(workbookId: string): WorkbookContent {
    const known = this.#contents.get(workbookId)?.deref();
    if (known) return known;
    const content = new WorkbookContent(workbookId, this.#formulas);
    this.#contents.set(workbookId, new WeakRef(content));
    this.#gone.register(content, workbookId);
    return content;
  }
}
