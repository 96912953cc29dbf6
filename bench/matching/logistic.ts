/** Samples as rows of numbers, each with a label and a weight. */
export interface Samples {
  readonly width: number;
  readonly values: Float64Array;
  readonly labels: Uint8Array;
  readonly weights: Float64Array;
}

export interface LogisticModel {
  readonly bias: number;
  readonly weights: readonly number[];
}

const rounds = 25;

/**
 * Fits a logistic regression by Newton's method, with values normalised to mean 0 and deviation 1
 * and `penalty` on squared weights. Equal samples give equal weights.
 */
export function fitLogistic(samples: Samples, penalty: number): LogisticModel {
  const { width, labels } = samples;
  const scale = scaleOf(samples);
  const size = width + 1;
  const beta = new Float64Array(size);
  const row = new Float64Array(size);
  for (let round = 0; round < rounds; round++) {
    const gradient = new Float64Array(size);
    const hessian = new Float64Array(size * size);
    for (let at = 0; at < labels.length; at++) {
      scaledRow(samples, scale, at, row);
      addSample({ row, beta, gradient, hessian }, labels[at] ?? 0, samples.weights[at] ?? 0);
    }
    penalise({ row, beta, gradient, hessian }, penalty);
    const step = solve(hessian, gradient);
    for (const [at, part] of step.entries()) beta[at] = (beta[at] ?? 0) + part;
    if (step.every((part) => Math.abs(part) < 1e-9)) break;
  }
  return unscaled(beta, scale);
}

interface Scale {
  readonly means: Float64Array;
  readonly deviations: Float64Array;
}

function scaleOf({ width, values, weights }: Samples): Scale {
  const means = new Float64Array(width);
  const squares = new Float64Array(width);
  let total = 0;
  for (let at = 0; at < weights.length; at++) {
    const weight = weights[at] ?? 0;
    total += weight;
    for (let column = 0; column < width; column++) {
      const value = values[at * width + column] ?? 0;
      means[column] = (means[column] ?? 0) + weight * value;
      squares[column] = (squares[column] ?? 0) + weight * value * value;
    }
  }
  const deviations = new Float64Array(width);
  for (let column = 0; column < width; column++) {
    const mean = (means[column] ?? 0) / total;
    means[column] = mean;
    const variance = (squares[column] ?? 0) / total - mean * mean;
    deviations[column] = variance > 1e-12 ? Math.sqrt(variance) : 1;
  }
  return { means, deviations };
}

function scaledRow(
  { width, values }: Samples,
  { means, deviations }: Scale,
  at: number,
  into: Float64Array,
): void {
  into[0] = 1;
  for (let column = 0; column < width; column++) {
    into[column + 1] =
      ((values[at * width + column] ?? 0) - (means[column] ?? 0)) / (deviations[column] ?? 1);
  }
}

interface Sums {
  readonly row: Float64Array;
  readonly beta: Float64Array;
  readonly gradient: Float64Array;
  readonly hessian: Float64Array;
}

function addSample({ row, beta, gradient, hessian }: Sums, label: number, weight: number): void {
  const size = row.length;
  let logit = 0;
  for (let at = 0; at < size; at++) logit += (beta[at] ?? 0) * (row[at] ?? 0);
  const probability = 1 / (1 + Math.exp(-logit));
  const slope = weight * (label - probability);
  const curve = weight * probability * (1 - probability);
  for (let at = 0; at < size; at++) {
    const value = row[at] ?? 0;
    gradient[at] = (gradient[at] ?? 0) + slope * value;
    const curved = curve * value;
    for (let other = 0; other <= at; other++) {
      const place = at * size + other;
      hessian[place] = (hessian[place] ?? 0) + curved * (row[other] ?? 0);
    }
  }
}

/**
 * Adds the penalty for all weights but the bias, which only gets what keeps the matrix positive.
 */
function penalise({ beta, gradient, hessian }: Sums, penalty: number): void {
  const size = beta.length;
  hessian[0] = (hessian[0] ?? 0) + 1e-9;
  for (let at = 1; at < size; at++) {
    gradient[at] = (gradient[at] ?? 0) - penalty * (beta[at] ?? 0);
    hessian[at * size + at] = (hessian[at * size + at] ?? 0) + penalty;
  }
}

/** Solves by Cholesky, from the lower half of a symmetric positive matrix. */
function solve(matrix: Float64Array, right: Float64Array): Float64Array {
  const size = right.length;
  const factor = factorise(matrix, size);
  const at = (row: number, column: number): number => factor[row * size + column] ?? 0;
  const answer = Float64Array.from(right);
  for (let row = 0; row < size; row++) {
    const known = answer.subarray(0, row).reduce((sum, x, column) => sum + at(row, column) * x, 0);
    answer[row] = ((answer[row] ?? 0) - known) / at(row, row);
  }
  for (let row = size - 1; row >= 0; row--) {
    let known = 0;
    for (let other = row + 1; other < size; other++) known += at(other, row) * (answer[other] ?? 0);
    answer[row] = ((answer[row] ?? 0) - known) / at(row, row);
  }
  return answer;
}

function factorise(matrix: Float64Array, size: number): Float64Array {
  const factor = Float64Array.from(matrix);
  for (let row = 0; row < size; row++) {
    for (let column = 0; column <= row; column++) {
      let sum = factor[row * size + column] ?? 0;
      for (let at = 0; at < column; at++) {
        sum -= (factor[row * size + at] ?? 0) * (factor[column * size + at] ?? 0);
      }
      const pivot = factor[column * size + column] ?? 1;
      factor[row * size + column] = row === column ? Math.sqrt(Math.max(sum, 1e-12)) : sum / pivot;
    }
  }
  return factor;
}

function unscaled(beta: Float64Array, { means, deviations }: Scale): LogisticModel {
  const weights: number[] = [];
  let bias = beta[0] ?? 0;
  for (let column = 0; column < means.length; column++) {
    const weight = (beta[column + 1] ?? 0) / (deviations[column] ?? 1);
    weights.push(weight);
    bias -= weight * (means[column] ?? 0);
  }
  return { bias, weights };
}
