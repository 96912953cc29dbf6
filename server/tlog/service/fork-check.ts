import { FormatFault, ProofFault } from '../encoding/fault.ts';
import { nodeCrypto } from '../node-crypto.ts';
import { parseCheckpoint } from '../note/checkpoint.ts';
import { parseNote, verifyNote } from '../note/note.ts';
import { LogHalted } from './halted.ts';
import type { LogMemory } from './memory.ts';
import type { LogSigner } from './signing-keys.ts';
import type { LogState, LogTable, SignedTree } from './sql.ts';
import type { TileStore } from './tile-store.ts';

/** A tree that the world was shown, by its note. */
export interface SeenTree {
  readonly size: number;
  readonly root: Uint8Array;
  readonly note: string;
}

export interface ForkCheckParts {
  readonly table: Pick<LogTable, 'signed'>;
  readonly tiles: Pick<TileStore, 'checkpoint' | 'prefix'>;
  readonly signer: Pick<LogSigner, 'keys' | 'origin'>;
  readonly memory: Pick<LogMemory, 'read'>;
}

/**
 * The world has seen a checkpoint that is newer than the database, or is not what the database has.
 */
export class SeenOtherwise extends LogHalted {
  readonly seen: SeenTree;
  /** True when it is newer than all that the database has signed. */
  readonly isNewer: boolean;

  constructor(reason: string, seen: SeenTree, { isNewer }: Pick<SeenOtherwise, 'isNewer'>) {
    super(reason);
    this.seen = seen;
    this.isNewer = isNewer;
  }
}

/** Compares the log in the database with the log that others have seen. */
export class ForkCheck {
  readonly #parts: ForkCheckParts;

  constructor(parts: ForkCheckParts) {
    this.#parts = parts;
  }

  /**
   * The checkpoint of the object store, if it has one. Fails with LogHalted unless it, and what
   * this machine remembers, are a past of the database.
   */
  async check(state: LogState): Promise<SeenTree | undefined> {
    const { table, signer, tiles } = this.#parts;
    if (state.origin !== signer.origin) {
      throw new LogHalted(misnamed(state.origin, signer.origin));
    }
    if (state.prefix !== tiles.prefix) {
      throw new LogHalted(
        'another log was begun, or an older tree adopted: start this process again',
      );
    }
    const signed = await table.signed();
    checkSigned(state, signed);
    await this.#checkRemembered(state, signed);
    const stored = await this.stored();
    if (stored) await this.#checkStored(stored, signed);
    return stored;
  }

  /** Fails with LogHalted if it is not a checkpoint of this log. */
  async stored(): Promise<SeenTree | undefined> {
    const { tiles, signer } = this.#parts;
    const text = await tiles.checkpoint();
    if (text === undefined) return undefined;
    try {
      const note = await verifyNote(nodeCrypto, parseNote(text), signer.keys);
      const { origin, size, root } = parseCheckpoint(note.text);
      if (origin === signer.origin) return { size, root, note: text };
      throw new ProofFault(`it is of ${origin}`);
    } catch (error) {
      if (!(error instanceof FormatFault || error instanceof ProofFault)) throw error;
      throw new LogHalted(`the checkpoint in the object store is not ours: ${error.message}`);
    }
  }

  async #checkStored(stored: SeenTree, signed: SignedTree | undefined): Promise<void> {
    const { size, root } = stored;
    if (size > (signed?.size ?? -1)) {
      throw new SeenOtherwise(
        `the object store has a checkpoint of size ${size}, newer than any in the database: ` +
          'the database was restored from an older backup',
        stored,
        { isNewer: true },
      );
    }
    const own = await this.#parts.table.signed(size);
    if (own?.root.equals(root) === true) return;
    throw new SeenOtherwise(
      `the checkpoint of size ${size} in the object store is another one`,
      stored,
      { isNewer: false },
    );
  }

  /** A checkpoint that was given up on purpose since is no reason to halt. */
  async #checkRemembered(state: LogState, signed: SignedTree | undefined): Promise<void> {
    const remembered = await this.#parts.memory.read();
    if (!remembered || remembered.notedAt <= (state.adoptedAt?.getTime() ?? -Infinity)) return;
    const { size, root } = remembered;
    if (size > (signed?.size ?? -1)) {
      throw new SeenOtherwise(
        `this machine has shown size ${size} of the log, and the database knows ` +
          `${signed?.size ?? 0}: the data was restored from an older copy`,
        remembered,
        { isNewer: true },
      );
    }
    const own = await this.#parts.table.signed(size);
    if (own?.root.equals(root) === true) return;
    const reason = `this machine has shown another tree of size ${size}`;
    throw new SeenOtherwise(reason, remembered, { isNewer: false });
  }
}

/** The reason why a log halts that is started under another name than it began with. */
export function misnamed(origin: string | null, wanted: string): string {
  return (
    `the log began as ${origin}, and is to go on as ${wanted}: ` +
    'npm run log -- begin begins another one'
  );
}

function checkSigned(state: LogState, signed: SignedTree | undefined): void {
  if (!signed) return;
  const isSame = signed.size === state.size && signed.root.equals(state.root);
  if (signed.size < state.size || isSame) return;
  throw new LogHalted(
    `size ${signed.size} was signed, and the tree in tlog_state of size ${state.size} is another`,
  );
}
