import type { Environment } from '../../model/environment.ts';
import { rejectSurely } from '../append-surely.ts';
import type { BranchAddress, JournalStore } from '../journal-store.ts';
import { RejectedOutcomes, rememberedMilliseconds } from './outcomes.ts';
import type { Refusal, RejectionStore } from './store.ts';

interface BranchRejectionsOptions {
  readonly store: Pick<JournalStore, 'confirm'>;
  readonly environment: Environment;
  /** Keeps them for other processes and later ones; they are forgotten when left out. */
  readonly rejections?: RejectionStore | undefined;
}

/** The rejections of one branch, in memory and in the store. */
export class BranchRejections {
  readonly outcomes = new RejectedOutcomes();
  readonly #address: BranchAddress;
  readonly #options: BranchRejectionsOptions;

  constructor(address: BranchAddress, options: BranchRejectionsOptions) {
    this.#address = address;
    this.#options = options;
  }

  /** Returns whether a batch that writes nothing has something to keep nevertheless. */
  mustKeep({ rejections }: Pick<Refusal, 'rejections'>): boolean {
    return this.#options.rejections !== undefined && rejections.kept.length > 0;
  }

  /** Learns what others have rejected, and what this process did before it was started again. */
  async catchUp(): Promise<void> {
    if (!this.outcomes.isBehind) return;
    const { rejections, store, environment } = this.#options;
    const after = this.outcomes.through;
    const oldest = environment.now() - rememberedMilliseconds;
    const stored = await rejections?.rejections(this.#address, { after, oldest });
    // They may be seen before they are safe.
    if (stored?.length) await store.confirm();
    this.outcomes.take(stored ?? []);
  }

  /** Makes rejections durable; returns false where others have written meanwhile. */
  async keep(
    { expectedHead, rejections }: Pick<Refusal, 'expectedHead' | 'rejections'>,
    epoch: number,
    milliseconds: number,
  ): Promise<boolean> {
    const { rejections: store, environment } = this.#options;
    if (!store) return true;
    const refusal = { ...this.#address, expectedHead, epoch, rejections };
    return rejectSurely(refusal, { store, environment }, milliseconds);
  }
}
