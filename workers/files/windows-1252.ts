/**
 * Characters of the bytes 0x80 to 0x9F in Windows-1252; the five unused ones are control
 * characters.
 */
const highCharacters = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008DŽ\u008F\u0090‘’“”•–—˜™š›œ\u009DžŸ';

/**
 * Repairs a text that TextDecoder of Node 20 decoded as Latin-1 (nodejs/node issue 56542), which
 * only differs in these characters. A correct text stays as it is.
 */
export function repairWindows1252(text: string): string {
  return text.replaceAll(/[\u0080-\u009F]/g, (unit) => {
    return highCharacters.charAt(unit.charCodeAt(0) - 0x80);
  });
}
