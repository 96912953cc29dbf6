import type { Environment } from '../../model/environment.ts';
import { hasCode } from '../../model/error-code.ts';
import { isRefusal } from '../../model/outage.ts';
import { branchKey, type Append } from '../journal-store.ts';

/** More appends than these are not waiting at a time. */
const appendsMost = 64;
/** Larger segments take as long as a commit by themselves. */
const segmentBytesMost = 32 << 10;
/** Statements under way: what comes meanwhile shares the next one, which costs less than its own. */
const runningMost = 1;
/** An append waits no longer for those before it, whatever holds them up. */
const waitMilliseconds = 5;

export interface AppendWays {
  /** An append by itself; returns whether it was written. */
  alone(append: Append): Promise<boolean>;
  /** Returns the indexes of those that were written; of the others nothing was. */
  together(appends: readonly Append[]): Promise<ReadonlySet<number>>;
}

interface Waiting {
  readonly append: Append;
  readonly resolve: (isWritten: Promise<boolean> | boolean) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Appends to several branches that wait at the same time share a statement, so that they share a
 * commit: many writers of a branch each cost little more than many of one.
 */
export class AppendGroup {
  readonly #ways: AppendWays;
  readonly #environment: Environment;
  #waiting: Waiting[] = [];
  #running = 0;
  #cancelTimer: (() => void) | undefined;

  constructor(ways: AppendWays, environment: Environment) {
    this.#ways = ways;
    this.#environment = environment;
  }

  append(append: Append): Promise<boolean> {
    if (!isPlain(append)) return this.#ways.alone(append);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ append, resolve, reject });
      if (this.#running < runningMost) this.#next();
      else this.#cancelTimer ??= this.#environment.after(waitMilliseconds, () => this.#next());
    });
  }

  #next(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    const group = this.#take();
    if (group.length === 0) return;
    this.#running++;
    void this.#run(group).finally(() => {
      this.#running--;
      if (this.#running < runningMost) this.#next();
    });
    if (this.#waiting.length > 0) {
      this.#cancelTimer = this.#environment.after(waitMilliseconds, () => this.#next());
    }
  }

  /** A branch has one append at a time; one whose sender has given up may still be among them. */
  #take(): Waiting[] {
    const [group, left]: [Waiting[], Waiting[]] = [[], []];
    const names = new Set<string>();
    for (const one of this.#waiting) {
      const name = branchKey(one.append);
      const fits = group.length < appendsMost && !names.has(name);
      (fits ? group : left).push(one);
      names.add(name);
    }
    this.#waiting = left;
    return group;
  }

  async #run(group: readonly Waiting[]): Promise<void> {
    const [first] = group;
    if (!first) return;
    try {
      if (group.length === 1) return first.resolve(await this.#ways.alone(first.append));
      const written = await this.#ways.together(group.map(({ append }) => append));
      // An append that was not written may only have met somebody else at its branch.
      for (const [index, { append, resolve }] of group.entries()) {
        resolve(written.has(index) ? true : this.#ways.alone(append));
      }
    } catch (error) {
      const isOfOne = group.length > 1 && isRefusal(error) && !isNotSent(error);
      for (const { append, resolve, reject } of group) {
        if (isOfOne) resolve(this.#ways.alone(append));
        else reject(error);
      }
    }
  }
}

/** Returns whether an append has nothing that most do not have. */
function isPlain({ segments, statements, commits, merges = [], rejections }: Append): boolean {
  const [segment, ...more] = segments;
  if (segment === undefined || more.length > 0) return false;
  const isNamed = commits.length + merges.length + (rejections?.kept.length ?? 0) > 0;
  return !isNamed && segment.body.length <= segmentBytesMost && statements?.length === 1;
}

function isNotSent(error: unknown): boolean {
  return hasCode(error, 'CONNECTION_BUSY');
}
