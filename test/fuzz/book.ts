import process from 'node:process';

import { cellName } from '../../server/model/address.ts';
import type { Value } from '../../server/model/cell-value.ts';
import type { Mutation } from '../../server/model/mutation.ts';
import { KernelFault } from '../../workers/kernel-instance.ts';
import { Kernel } from '../../workers/kernel.ts';
import { FaultFound } from './fault.ts';

/**
 * Most memory of a model in bytes: the temporary memory of an evaluation, an array beside it, the
 * cells.
 */
const memoryBytesMost = 1_280 * 2 ** 20;
/** Between two looks at the clock, as the service does it. */
const sliceFuelSteps = 500_000;
/** Values looked at of one workbook: arrays may spill a million. */
const valuesMost = 2_000;
const longestText = 32_767;
const greatestNumber = 1.7976931348623157e308;
const smallestNumber = 2.2250738585072014e-308;
const now = { clockSerial: 46_037.604, seedHigh: 7, seedLow: 11 };

/** A kernel whose calls are watched. */
export class Book {
  readonly kernel: Kernel;
  readonly #callMillisecondsMost: number;

  /** A call that takes more time of the processor is a fault; its fuel is to end it before. */
  constructor(callMillisecondsMost: number) {
    this.kernel = Kernel.create();
    this.#callMillisecondsMost = callMillisecondsMost;
  }

  apply(mutations: readonly Mutation[]): void {
    this.watch('apply', () => this.kernel.apply(mutations));
  }

  calculate(): void {
    for (let isDone = false; !isDone;) {
      isDone = this.watch('recalculate', () => this.kernel.recalculate(now, sliceFuelSteps));
    }
    const { memoryBytes } = this.kernel;
    if (memoryBytes > memoryBytesMost) {
      throw new FaultFound('memory', `${Math.round(memoryBytes / 2 ** 20)} MiB`);
    }
  }

  /** The values by cell; of very many, the first and last. */
  values(): Map<string, Value> {
    const found = new Map<string, Value>();
    const { kernel } = this;
    const count = kernel.valueCount;
    found.set('count', count);
    const visit = (cell: { sheet: number; row: number; column: number; value: Value }): void => {
      const name = `${cell.sheet}!${cellName(cell.row, cell.column)}`;
      checkLegal(name, cell.value);
      found.set(name, cell.value);
    };
    this.watch('readValues', () => kernel.readValues(0, valuesMost, visit));
    if (count > valuesMost) {
      this.watch('readValues', () => kernel.readValues(count - 100, 100, visit));
    }
    return found;
  }

  /** Runs one call; a trap and a slow call are faults. */
  watch<Result>(what: string, call: () => Result): Result {
    const started = process.cpuUsage();
    let result: Result;
    try {
      result = call();
    } catch (error) {
      if (error instanceof KernelFault) throw new FaultFound('trap', `${what}: ${error.message}`);
      throw error;
    }
    const { user, system } = process.cpuUsage(started);
    const took = (user + system) / 1_000;
    if (took <= this.#callMillisecondsMost) return result;
    throw new FaultFound('slow', `${what} took ${Math.round(took)} ms`);
  }
}

function checkLegal(name: string, value: Value): void {
  const isLegal = typeof value === 'number' ? isLegalNumber(value) : isLegalOther(value);
  if (!isLegal) throw new FaultFound('illegal value', `${name} is ${JSON.stringify(value)}`);
}

function isLegalNumber(value: number): boolean {
  if (Object.is(value, -0)) return false;
  const size = Math.abs(value);
  return size <= greatestNumber && (size === 0 || size >= smallestNumber);
}

function isLegalOther(value: Value): boolean {
  return typeof value !== 'string' || value.length <= longestText;
}
