import { readdirSync, readFileSync } from 'node:fs';

import { parseAddress } from '../../server/model/address.ts';
import type { Cell } from '../kernel/workload.ts';

/** A formula of one function, and the cells it may read. */
export interface MeasuredFormula {
  readonly name: string;
  readonly formula: string;
  readonly inputs: readonly {
    readonly row: number;
    readonly column: number;
    readonly cell: Cell;
  }[];
}

const folder = new URL('test/golden/', import.meta.resolve('#package.json'));
const assignment = /([A-Z]{1,2}\d+)=("[^"]*"|\S+)/gu;

/** The formulas of test/golden, by the function they call first. */
export function* goldenFormulas(): Generator<MeasuredFormula> {
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.txt'))) {
    let inputs: MeasuredFormula['inputs'] = [];
    for (const line of readFileSync(new URL(file, folder), 'utf8').split('\n')) {
      if (line.startsWith('cells')) inputs = readInputs(line);
      const formula = line.split('\t')[0] ?? '';
      const name = /^=([A-Z][A-Z0-9.]*)\(/u.exec(formula)?.[1];
      if (name !== undefined) yield { name, formula, inputs };
    }
  }
}

function readInputs(line: string): MeasuredFormula['inputs'] {
  return [...line.matchAll(assignment)].flatMap(([, name = '', text = '']) => {
    const place = parseAddress(name);
    return place === undefined ? [] : [{ ...place, cell: readCell(text) }];
  });
}

function readCell(text: string): Cell {
  if (text.startsWith('"')) return text.slice(1, -1);
  if (text === 'TRUE' || text === 'FALSE') return text === 'TRUE';
  // Errors are typed as formulas that give them.
  if (text.startsWith('#')) return `=${text}`;
  return text.startsWith('=') ? text : Number(text);
}
