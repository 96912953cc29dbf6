import { goldenFiles, readGolden, type GoldenCase } from '../support/golden-file.ts';
import { readSignatures, type FunctionSignature } from '../support/function-signatures.ts';

const introduction = `# Worksheet functions

Written by \`npm run functions-doc\` from \`assembly/functions/signatures.tsv\` and \`test/golden/\`; a test
fails when it is out of date. Each function is shown with Excel's names of its arguments: those in
brackets may be left out, \`...\` goes on as before. The examples are tests. A source is the title of
a page of Microsoft's documentation, or where else the function is written down. What is known to
differ from Excel stands behind a source.
`;

/** docs/formula-functions.md as it should be. */
export function functionReference(): string {
  const examples = findExamples();
  const byCategory = new Map<string, FunctionSignature[]>();
  for (const signature of readSignatures()) {
    const { category } = signature;
    byCategory.set(category, [...(byCategory.get(category) ?? []), signature]);
  }
  const sections = [...byCategory].toSorted(byName).map(([category, signatures]) => {
    const lines = signatures.map((signature) => lineOf(signature, examples.get(signature.name)));
    return `\n## ${category[0]?.toUpperCase()}${category.slice(1)}\n\n${lines.join('\n')}\n`;
  });
  return introduction + sections.join('');
}

function byName([left]: [string, unknown], [right]: [string, unknown]): number {
  return left < right ? -1 : 1;
}

function lineOf({ name, arguments: list, source, deviation }: FunctionSignature, example?: string) {
  const difference = deviation === '' ? '' : ` ${deviation}`;
  return `- \`${name}(${list})\`: ${example ?? 'no example.'} Source: ${source}.${difference}`;
}

/** The golden line of each function that says most at a glance, in words. */
function findExamples(): Map<string, string> {
  const best = new Map<string, { cost: number; golden: GoldenCase }>();
  for (const golden of goldenFiles().flatMap((file) => [...readGolden(file)])) {
    for (const [name, cost] of functionsIn(golden)) {
      if (cost < (best.get(name)?.cost ?? Infinity)) best.set(name, { cost, golden });
    }
  }
  return new Map([...best].map(([name, { golden }]) => [name, exampleText(golden)]));
}

/** The functions of a formula, and how little it is fit to be their example; the first is best. */
function* functionsIn({ formula, cells, expected }: GoldenCase): Generator<[string, number]> {
  const called = [...formula.replaceAll(/"[^"]*"/gu, '""').matchAll(/([A-Z][A-Z0-9.]*)\(/gu)];
  const text = JSON.stringify(expected);
  const says = text.length < 60 && !isError(expected) ? 0 : 500;
  const isTrivial = /^(0|1|null|"")$/u.test(text) || formula.includes('()') || formula.length > 60;
  const inputs = shownCells(formula, cells).length;
  for (const [index, [, name = '']] of called.entries()) {
    const isOutermost = index === 0 && formula.startsWith(`=${name}(`);
    yield [name, (isOutermost ? 0 : 1_000) + says + inputs * 20 + (isTrivial ? 30 : 0)];
  }
}

function exampleText({ formula, cells, expected }: GoldenCase): string {
  const shown = shownCells(formula, cells);
  const inputs = shown.map(({ text }) => `\`${text}\``);
  const where = inputs.length === 0 ? '' : ` with ${inputs.join(', ')}`;
  return `\`${formula}\`${where} is \`${valueText(expected)}\`.`;
}

const codeOfA = 65;

/** The cells that a formula can see, as they are written in a golden file. */
function shownCells(formula: string, cells: GoldenCase['cells']): { text: string }[] {
  const hasReference = /(?<![A-Z"])\$?[A-Z]{1,2}\$?\d+|[A-Z]:[A-Z]/u.test(formula);
  if (!hasReference) return [];
  return cells.map(({ row, column, input }) => {
    const name = `${String.fromCharCode(codeOfA + column)}${row + 1}`;
    const isFormula = typeof input === 'object' && input !== null && 'formula' in input;
    return { text: `${name}: ${isFormula ? input.formula : valueText(input)}` };
  });
}

function isError(value: unknown): value is { error: string } {
  return typeof value === 'object' && value !== null && 'error' in value;
}

/** A value as a formula writes it. */
function valueText(value: unknown): string {
  if (isError(value)) return value.error;
  if (Array.isArray(value)) {
    const rows = value as unknown[][];
    return `{${rows.map((row) => row.map(valueText).join(',')).join(';')}}`;
  }
  if (typeof value === 'string') return `"${value.replaceAll('"', '""')}"`;
  return String(value).toUpperCase();
}
