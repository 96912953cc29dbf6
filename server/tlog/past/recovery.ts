import { encodeText } from '../encoding/bytes.ts';
import { FormatFault, ProofFault } from '../encoding/fault.ts';
import { nodeCrypto } from '../node-crypto.ts';
import { parseNote, verifyNote } from '../note/note.ts';
import type { ForkCheck } from '../service/fork-check.ts';
import { LogHalted } from '../service/halted.ts';
import type { LogMemory } from '../service/memory.ts';
import type { LogSigner } from '../service/signing-keys.ts';
import type { LogState, LogTable, SignedTree } from '../service/sql.ts';
import { hasher } from '../statements/statement-row.ts';
import type { EndedLog, PastLog, PastTable } from './sql.ts';

export interface RecoveryParts {
  readonly table: LogTable;
  readonly past: PastTable;
  readonly forks: ForkCheck;
  readonly memory: LogMemory;
  /** Signs under the name that the log has in the database. */
  readonly signer: LogSigner;
}

/** A checkpoint by its size, and where it was found. */
interface SeenCheckpoint {
  readonly size: number;
  readonly note: string;
}

export interface LogStatus {
  readonly state: LogState;
  readonly signedSize: number;
  readonly published: SeenCheckpoint | undefined;
  readonly pending: number;
  /** Checkpoint in object storage, if any; a text where it cannot be read as one of this log. */
  readonly stored: SeenCheckpoint | string | undefined;
  readonly remembered: (SeenCheckpoint & { readonly notedAt: number }) | undefined;
  /** Reason why the log would halt; undefined if it would not. */
  readonly halted: string | undefined;
  readonly past: readonly PastLog[];
}

/** A request of an operator that cannot be carried out now; the message says what can. */
export class RecoveryRefusal extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'RecoveryRefusal';
  }
}

/** Beginning of an entry that names the log before: its last checkpoint follows. */
const beginName = 'wblogbegin/v1';

/** Shows an operator the state of the log, and does what no process may decide by itself. */
export class LogRecovery {
  readonly #parts: RecoveryParts;

  constructor(parts: RecoveryParts) {
    this.#parts = parts;
  }

  async status(): Promise<LogStatus> {
    const { table, past, memory } = this.#parts;
    const state = await table.state();
    const [signed, published, pending] = [
      await table.signed(),
      await table.newestPublished(),
      await table.pending(),
    ];
    return {
      state,
      signedSize: signed?.size ?? 0,
      published: publishedOf(published),
      pending: pending.count,
      stored: await this.#stored(),
      remembered: await memory.read(),
      halted: await this.#haltedReason(state),
      past: await past.list(),
    };
  }

  async #stored(): Promise<SeenCheckpoint | string | undefined> {
    try {
      return await this.#parts.forks.stored();
    } catch (error) {
      if (error instanceof LogHalted) return error.message;
      throw error;
    }
  }

  async #haltedReason(state: LogState): Promise<string | undefined> {
    try {
      await this.#parts.forks.check(state);
      return undefined;
    } catch (error) {
      if (error instanceof LogHalted) return error.message;
      throw error;
    }
  }

  /**
   * Continues with the tree of the database although another was published. `size` is that of the
   * tree, so that nobody adopts an unseen one. Returns the place of its files.
   */
  async adopt(size: number): Promise<string> {
    const status = await this.status();
    const { state, halted } = status;
    if (halted === undefined)
      throw new RecoveryRefusal('The log is not halted: there is nothing to adopt.');
    if (state.origin !== this.#parts.signer.origin) throw new RecoveryRefusal(halted);
    if (size !== status.signedSize) {
      throw new RecoveryRefusal(
        `The tree of the database has size ${status.signedSize}, not ${size}: say --size ${status.signedSize}.`,
      );
    }
    return this.#parts.past.adopt(state, ended('adopted', status));
  }

  /** Ends the log and begins another, under a new name. Returns where its files are. */
  async begin(origin: string): Promise<string> {
    const status = await this.status();
    const { state, past } = status;
    const names = [state.origin, ...past.map((log) => log.origin)];
    if (names.includes(origin)) {
      throw new RecoveryRefusal(`There was a log called ${origin}: choose another name.`);
    }
    const before = ended('begun', status);
    const entry = Buffer.from(encodeText(`${beginName}\n${before.note ?? ''}`));
    const first = { leafHash: Buffer.from(hasher.leaf(entry)), entry };
    return this.#parts.past.begin(state, before, { origin, first });
  }

  /**
   * Returns whether the keys in use have signed the checkpoint that the database or the object
   * store has of this log.
   */
  async hasSigned(): Promise<boolean> {
    const { note } = ended('begun', await this.status());
    if (note === null) return false;
    try {
      await verifyNote(nodeCrypto, parseNote(note), this.#parts.signer.keys);
      return true;
    } catch (error) {
      if (error instanceof FormatFault || error instanceof ProofFault) return false;
      throw error;
    }
  }
}

function publishedOf(signed: SignedTree | undefined): SeenCheckpoint | undefined {
  if (!signed || signed.publishedNote === null) return undefined;
  return { size: signed.size, note: signed.publishedNote };
}

/** Makes the end with the newest checkpoint that is known. */
function ended(why: EndedLog['why'], status: LogStatus): EndedLog {
  const { state, stored, remembered, published } = status;
  const seen = [published, typeof stored === 'string' ? undefined : stored, remembered];
  const newest = seen
    .filter((checkpoint) => checkpoint !== undefined)
    .toSorted((one, other) => other.size - one.size)[0];
  return {
    why,
    prefix: state.prefix,
    origin: state.origin ?? '',
    size: newest?.size ?? 0,
    note: newest?.note ?? null,
  };
}
