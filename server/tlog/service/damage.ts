import type { Environment } from '../../model/environment.ts';
import { Failure } from '../../model/failure.ts';

/** Something of the log that is stored and is not what its published checkpoint says. */
export interface LogDamage {
  /** Key of an object, or `postgres:<table>/<key>`. */
  readonly where: string;
  readonly what: 'missing' | 'damaged';
  /** Milliseconds since the Unix epoch. */
  readonly foundAt: number;
  /** True if it was repaired from the database. */
  readonly isRepaired: boolean;
}

export interface DamageBookParts {
  readonly environment: Pick<Environment, 'now'>;
  readonly found: (damage: LogDamage) => void;
  readonly report: (step: string, error: unknown) => void;
}

/**
 * The damage that this process has found. Repaired damage stays until it is reported, because a
 * store that damages files is worth knowing of.
 */
export class DamageBook {
  readonly #parts: DamageBookParts;
  /** Damages by place, changed as they are met, made good and reported. */
  readonly #damages = new Map<string, LogDamage>();

  constructor(parts: DamageBookParts) {
    this.#parts = parts;
  }

  note(where: string, what: LogDamage['what'], { isRepaired }: { isRepaired: boolean }): void {
    const known = this.#damages.get(where);
    if (known?.isRepaired === isRepaired) return;
    const damage = { where, what, isRepaired, foundAt: this.#parts.environment.now() };
    this.#damages.set(where, damage);
    this.#parts.found(damage);
  }

  /** Reports damage that could not be made good in place. */
  staysDamaged(where: string, error: unknown): void {
    this.#parts.report(`put ${where} anew`, error);
  }

  /** Removes damage of a file that is intact again. */
  isWhole(where: string): void {
    const known = this.#damages.get(where);
    if (known?.isRepaired === false) this.#damages.delete(where);
  }

  get all(): LogDamage[] {
    return [...this.#damages.values()];
  }

  /** Places that are damaged now. */
  get open(): string[] {
    return this.all.filter(({ isRepaired }) => !isRepaired).map(({ where }) => where);
  }

  /** Returns all damage for a report, and forgets repaired damage. */
  take(): LogDamage[] {
    const { all } = this;
    for (const { where, isRepaired } of all) if (isRepaired) this.#damages.delete(where);
    return all;
  }
}

/** The failure for damage that cannot be made good: nothing is answered from it. */
export function damageFailure(where: string): Failure {
  return new Failure('logDamaged', {
    detail: `${where} of the transparency log is not what the published checkpoint says, and cannot be made anew.`,
    hint: 'Restore it from a backup. POST /v1/workbooks/{id}/verify names the places that are wrong.',
    extra: { where },
    headers: { 'Retry-After': '60' },
  });
}
