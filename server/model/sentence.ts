/**
 * Ends a text with a full stop, so that two never run together; a text that ends in a mark keeps
 * it.
 */
export function asSentence(text: string): string {
  const trimmed = text.trimEnd();
  return trimmed === '' || /[.?!…:]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}
