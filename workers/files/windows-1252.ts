/**
 * Characters of the bytes 0x80 to 0x9F in Windows-1252; the five unused ones stay control
 * characters.
 */
const highCharacters = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008DŽ\u008F\u0090‘’“”•–—˜™š›œ\u009DžŸ';

/**
 * TextDecoder of Node 20 reads Windows-1252 as Latin-1 (nodejs/node issue 56542), which differs in
 * these characters only. A decoder that is right leaves nothing to repair.
 */
export function repairWindows1252(text: string): string {
  return text.replaceAll(/[\u0080-\u009F]/g, (unit) => {
    return highCharacters.charAt(unit.charCodeAt(0) - 0x80);
  });
}
