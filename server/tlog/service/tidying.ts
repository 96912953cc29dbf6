import type { Environment } from '../../model/environment.ts';
import { Repetition } from '../../model/repetition.ts';
import type { Objects } from '../../storage/objects.ts';
import { equalBytes } from '../encoding/bytes.ts';
import { levelWidth } from '../tree/tile-layout.ts';
import { fullWidth, type LogResource } from '../tree/tile-name.ts';
import type { TreeHead } from '../tree/verify.ts';
import type { DamageBook } from './damage.ts';
import { LogFiles } from './log-files.ts';
import type { Published } from './published.ts';
import type { LogTable } from './sql.ts';
import { pathOf, type TileStore } from './tile-store.ts';

export interface TidyingParts {
  readonly table: Pick<LogTable, 'entries' | 'tidied' | 'narrowBundles' | 'noteTidied'>;
  readonly tiles: TileStore;
  readonly objects: Pick<Objects, 'deletePrefix'>;
  readonly published: Published;
  readonly damage: DamageBook;
  /** True in the process that writes the log, which alone tidies. */
  readonly isLeading: () => boolean;
  readonly environment: Environment;
  readonly report: (step: string, error: unknown) => void;
}

const restMilliseconds = 60_000;
/** Readers of the files that began at a narrower tree are done after this. */
const agedSeconds = 3_600;
/** Bundles of one pass at most; each has up to 255 narrower files, and so has its tile. */
const bundlesMost = 64;

/**
 * Deletes tiles and bundles of older trees where the full ones are in the store: those give every
 * width. What a crash leaves is deleted by the next pass, which begins where the last one ended.
 */
export class Tidying {
  readonly #parts: TidyingParts;
  readonly #repetition: Repetition;

  constructor(parts: TidyingParts) {
    this.#parts = parts;
    const { environment, report } = parts;
    const pass = async (): Promise<void> => {
      while (!this.#repetition.isStopped && parts.isLeading() && (await this.#pass())) continue;
    };
    const step = 'delete narrower files of the transparency log';
    this.#repetition = new Repetition({ environment, restMilliseconds, step, pass, report });
  }

  start(): void {
    this.#repetition.start();
  }

  stop(): Promise<void> {
    return this.#repetition.stop();
  }

  /** Returns whether there is more to do. */
  async #pass(): Promise<boolean> {
    const { table, tiles, damage, published, environment } = this.#parts;
    const { newest } = published;
    const { size: from, aged } = await table.tidied(agedSeconds);
    const end = bundleEnd(Math.min(aged, newest?.size ?? 0));
    if (newest === undefined || from >= end) return false;
    const bundles = await table.narrowBundles(from, end, bundlesMost);
    const isAll = bundles.length < bundlesMost;
    const to = isAll ? end : ((bundles.at(-1) ?? 0) + 1) * fullWidth;
    const files = new LogFiles({ tiles, table, damage });
    for (const resource of filledIn(bundles, { from, to })) {
      await this.#tidy(resource, files, newest);
    }
    await environment.checkpoint?.('tlog.tidied');
    await table.noteTidied(from, to);
    return !isAll;
  }

  /** Deletes the narrower files of a full one, which is read from the store before. */
  async #tidy(resource: LogResource, files: LogFiles, tree: TreeHead): Promise<void> {
    const { tiles, objects } = this.#parts;
    const path = pathOf(resource);
    const [right, stored] = [await files.serve(resource, tree), await tiles.read(path)];
    if (right === undefined || stored === undefined || !equalBytes(right, stored)) {
      throw new Error(`${path} is not whole in the store`);
    }
    await objects.deletePrefix(`${tiles.prefix}${path}.p/`);
  }
}

/** Returns the end of the last full bundle of a tree. */
function bundleEnd(size: number): number {
  return size - (size % fullWidth);
}

/** Returns the files that got full between two sizes and were narrower before. */
function filledIn(
  bundles: readonly number[],
  { from, to }: { readonly from: number; readonly to: number },
): LogResource[] {
  const width = fullWidth;
  const files = bundles.flatMap((index): LogResource[] => [
    { kind: 'bundle', name: { index, width } },
    { kind: 'tile', name: { level: 0, index, width } },
  ]);
  for (let level = 1; levelWidth(level, to) > 0; level++) {
    const last = levelWidth(level + 1, to);
    for (let index = levelWidth(level + 1, from); index < last; index++) {
      files.push({ kind: 'tile', name: { level, index, width } });
    }
  }
  return files;
}
