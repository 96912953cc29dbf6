import type { BranchKey } from './sql.ts';

/** Most listed damages; others are found again by the next read. */
const listedMost = 10_000;

export interface Damage extends BranchKey {
  /** Key of the object that is missing or not what was written. */
  readonly objectKey: string;
}

/**
 * Stored objects that this process found missing or damaged and that are not repaired yet. The list
 * is no inventory: `verify` checks everything.
 */
export class DamageList {
  /** Damages by branch and object: several branches may need one pack. */
  readonly #damages = new Map<string, Damage>();
  readonly #keyCounts = new Map<string, number>();
  #onFound: ((damage: Damage) => void) | undefined;
  foundCount = 0;

  /** Objects in the list. */
  get objectCount(): number {
    return this.#keyCounts.size;
  }

  /**
   * Sets the listener that repairs objects; called for each damage, and again if it is found later.
   */
  whenFound(listener: (damage: Damage) => void): void {
    this.#onFound = listener;
  }

  note({ workbookId, branchNo, objectKey }: Damage): void {
    const name = nameOf({ workbookId, branchNo, objectKey });
    const damage = { workbookId, branchNo, objectKey };
    if (!this.#damages.has(name) && this.#damages.size < listedMost) {
      this.#damages.set(name, damage);
      this.#keyCounts.set(objectKey, (this.#keyCounts.get(objectKey) ?? 0) + 1);
      this.foundCount++;
    }
    this.#onFound?.(damage);
  }

  has(objectKey: string): boolean {
    return this.#keyCounts.has(objectKey);
  }

  of({ workbookId, branchNo }: BranchKey): Damage[] {
    return [...this.#damages.values()].filter((damage) => {
      return damage.workbookId === workbookId && damage.branchNo === branchNo;
    });
  }

  /** Removes an object from the list that was repaired or is intact again. */
  mended(damage: Damage): void {
    if (!this.#damages.delete(nameOf(damage))) return;
    const { objectKey } = damage;
    const left = (this.#keyCounts.get(objectKey) ?? 1) - 1;
    if (left > 0) this.#keyCounts.set(objectKey, left);
    else this.#keyCounts.delete(objectKey);
  }

  /** Forgets a workbook that was purged: nothing of it is to be mended. */
  forget(workbookId: string): void {
    for (const damage of this.#damages.values()) {
      if (damage.workbookId === workbookId) this.mended(damage);
    }
  }
}

function nameOf({ workbookId, branchNo, objectKey }: Damage): string {
  return `${workbookId}/${branchNo} ${objectKey}`;
}
