import { Dots, openDots, queriesMost, rowsMost, vectorsIn } from '../../workers/kernel-dots.ts';
import { once, type Figure } from '../report.ts';

const leftCount = 1024;
const rightCount = 10_240;
const plainCount = 64;

/**
 * Measures pairs per second of processor time: products of 16-bit vectors by the kernel, and by
 * plain TypeScript.
 */
export function measureDots(): Figure[] {
  return [256, 512].flatMap((width) => {
    const dots = openDots([leftCount, rightCount], width, 1);
    const left = vectorsIn(dots, dots.left, [0, leftCount]);
    const right = vectorsIn(dots, dots.right, [0, rightCount]);
    for (const numbers of [left, right]) {
      for (let at = 0; at < numbers.length; at++) numbers[at] = ((at * 7919) % 1000) - 500;
    }
    const kernel = new Dots(dots, 0);
    const rates = [
      ['kernel', leftCount, () => runKernel(kernel)],
      ['plain TypeScript', plainCount, () => runPlain(left, right, width)],
    ] as const;
    return rates.map(([measure, queries, run]): Figure => {
      run();
      const before = process.cpuUsage().user;
      run();
      const seconds = (process.cpuUsage().user - before) / 1e6;
      const rate = Math.round((queries * rightCount) / seconds / 1e5) / 10;
      return { subject: `${width} numbers`, measure, unit: 'M pairs/s', quire: once(rate) };
    });
  });
}

function runKernel(kernel: Dots): void {
  for (let query = 0; query < leftCount; query += queriesMost) {
    for (let row = 0; row < rightCount; row += rowsMost) {
      kernel.products([query, query + queriesMost], [row, row + rowsMost]);
    }
  }
}

function runPlain(left: Int16Array, right: Int16Array, width: number): void {
  const products = new Int32Array(rightCount);
  for (let query = 0; query < plainCount; query++) {
    for (let row = 0; row < rightCount; row++) {
      let sum = 0;
      for (let at = 0; at < width; at++) {
        sum += (left[query * width + at] ?? 0) * (right[row * width + at] ?? 0);
      }
      products[row] = sum;
    }
  }
}
