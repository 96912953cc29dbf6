/** The text, or as much of it as is not longer and does not end in the middle of a character. */
export function cutText(text: string, lengthMost: number): string {
  if (text.length <= lengthMost) return text;
  return text.slice(0, lengthMost).replace(/[\uD800-\uDBFF]$/, '');
}
