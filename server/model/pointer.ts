/**
 * Makes a JSON pointer (RFC 6901) to a place in a body; a very long one is cut, as it is only
 * shown.
 */
export function pointerOf(path: readonly PropertyKey[]): string {
  return path.map((step) => `/${escaped(String(step))}`).join('');
}

const stepLengthMost = 200;

function escaped(step: string): string {
  const short = step.length > stepLengthMost ? `${step.slice(0, stepLengthMost)}…` : step;
  return short.replaceAll('~', '~0').replaceAll('/', '~1');
}
