/**
 * An operand of a rule in its one spelling: `=5` is the number 5 and `="ten"` the text ten. A text
 * that would read as a formula stays one.
 */
export function plainOperand(operand: string | number): string | number {
  if (typeof operand === 'number') return operand === 0 ? 0 : operand;
  if (!operand.startsWith('=')) return operand;
  const inner = operand.slice(1).trim();
  if (/^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/iu.test(inner)) {
    const number = Number(inner);
    return number === 0 ? 0 : number;
  }
  const text = /^"((?:[^"]|"")*)"$/su.exec(inner)?.[1];
  if (text === undefined) return operand;
  const plain = text.replaceAll('""', '"');
  return plain.startsWith('=') ? operand : plain;
}

/** The operand as a formula writes it, without the `=` in front. */
export function operandFormula(operand: string | number): string {
  if (typeof operand === 'number') return String(operand);
  if (operand.startsWith('=') && operand.length > 1) return operand.slice(1);
  return `"${operand.replaceAll('"', '""')}"`;
}
