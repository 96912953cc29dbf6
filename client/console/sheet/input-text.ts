/** Returns an input or a value of the service as a person types it: `=A1`, `2.5`, `TRUE`, `#N/A`. */
export function inputText(input: unknown): string {
  if (input === null || input === undefined) return '';
  if (typeof input === 'string') return input;
  if (typeof input === 'boolean') return input ? 'TRUE' : 'FALSE';
  if (typeof input === 'number') return String(input);
  const isError = typeof input === 'object' && 'error' in input;
  return isError ? String(input.error) : JSON.stringify(input);
}
