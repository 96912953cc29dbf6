import type {
  FormulaCheck,
  FormulaOrigin,
  FormulaReference,
  FormulaService,
} from '../server/model/formula-service.ts';
import { firstSheetStart } from '../server/model/several-sheets.ts';
import { ownNamesInFormula } from '../server/state/formulas/formula-names.ts';
import { KernelFault } from './kernel-instance.ts';
import { Kernel } from './kernel.ts';
import { RecentConversions } from './recent-conversions.ts';

/** Memory from which a kernel is replaced; most of its texts are of formulas long gone. */
const recycleBytes = 32 * 1024 * 1024;
const memoryBytesMost = 2 * recycleBytes;

/**
 * Parses and spells formulas by a small kernel of its own: synchronously, on any thread. It holds
 * no workbook, so after a fault or much growth it is simply replaced.
 */
export class Formulas implements FormulaService {
  #kernel = Kernel.create(memoryBytesMost);
  readonly #toA1 = this.#conversions('A1');
  readonly #toR1C1 = this.#conversions('R1C1');

  check(text: string, origin: FormulaOrigin = 'person'): FormulaCheck {
    const problem = this.#ask((kernel) => kernel.checkFormula(text, origin === 'person'));
    return problem === undefined ? { ok: true } : { ok: false, ...problem };
  }

  toR1C1(text: string, row: number, column: number): string {
    return this.#toR1C1.of(text, row, column) ?? text;
  }

  fromR1C1(text: string, row: number, column: number): string {
    const read = cellLikeOptional.test(text) ? undefined : this.#toA1.of(text, row, column);
    if (read !== undefined) return read;
    return this.#toA1.of(quoteOwnNames(text), row, column) ?? text;
  }

  references(text: string): FormulaReference[] {
    return this.#ask((kernel) => {
      const references: FormulaReference[] = [];
      kernel.readReferences(text, (reader, address) => {
        const named = reader.word(address + 8);
        const last = named === 0 ? undefined : reader.text(named);
        const at = reader.word(address);
        const referenceEnd = references.at(-1)?.end ?? -1;
        const start = last === undefined ? at : firstSheetStart(text, at, referenceEnd);
        references.push({
          start,
          end: reader.word(address + 4),
          sheet: start === at ? last : text.slice(start, at) + last,
          row0: reader.word(address + 12),
          column0: reader.word(address + 16),
          row1: reader.word(address + 20),
          column1: reader.word(address + 24),
          flags: reader.word(address + 28),
        });
      });
      return references;
    });
  }

  #conversions(to: 'A1' | 'R1C1'): RecentConversions {
    return new RecentConversions((text, row, column) =>
      this.#ask((kernel) => kernel.convertFormula(text, { row, column }, to)),
    );
  }

  #ask<Answer>(question: (kernel: Kernel) => Answer): Answer {
    if (this.#kernel.memoryBytes > recycleBytes) this.#kernel = Kernel.create(memoryBytesMost);
    try {
      return question(this.#kernel);
    } catch (fault) {
      if (fault instanceof KernelFault) this.#kernel = Kernel.create(memoryBytesMost);
      throw fault;
    }
  }
}

/** A name that looks like a cell: `RC`, `R1C1`. */
const cellLike = /^R\d*C\d*$/u;

/**
 * `[RC],` of a LAMBDA: stored texts had such parameters without quotes until names that look like
 * cells got them.
 */
const cellLikeOptional = /\[R\d*C\d*\]\s*,/u;

/** Adds quotes to the declared names of a stored text from before such names had them. */
function quoteOwnNames(text: string): string {
  let quoted = text;
  for (const { start, end } of ownNamesInFormula(text).toReversed()) {
    const name = text.slice(start, end);
    if (cellLike.test(name)) quoted = `${quoted.slice(0, start)}'${name}'${quoted.slice(end)}`;
  }
  return quoted;
}
