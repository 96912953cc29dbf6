/** A piece of a formula. */
export interface Token {
  readonly kind:
    | 'reference'
    | 'function'
    | 'name'
    | 'text'
    | 'number'
    | 'error'
    | 'open'
    | 'close'
    | 'separator'
    | 'operator'
    | 'blank'
    | 'other';
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const sheet = String.raw`(?:'(?:[^']|'')+'!|[\p{L}_][\p{L}\p{N}_.]*!)`;
const cell = String.raw`\$?[A-Za-z]{1,3}\$?[1-9]\d{0,6}`;
const lines = String.raw`\$?[A-Za-z]{1,3}:\$?[A-Za-z]{1,3}|\$?[1-9]\d{0,6}:\$?[1-9]\d{0,6}`;
const word = String.raw`[\p{L}_\\][\p{L}\p{N}_.]*`;
const behind = String.raw`(?![\p{L}\p{N}_.(!])`;

/** Kinds in the order in which they are tried at each place. */
const patterns: readonly (readonly [Token['kind'], RegExp])[] = [
  ['blank', /\s+/uy],
  ['text', /"(?:[^"]|"")*"?/uy],
  ['error', /#[A-Z/0]+[A-Z][?!]?|#N\/A/uy],
  ['reference', new RegExp(`${sheet}?(?:${cell}(?::${cell})?|${lines})#?${behind}`, 'uy')],
  ['function', new RegExp(String.raw`${word}(?=\s*\()`, 'uy')],
  ['name', new RegExp(String.raw`${sheet}?${word}(?:\[(?:[^[\]]|\[[^\]]*\])*\]?)?`, 'uy')],
  ['number', /\d+(?:\.\d*)?(?:E[+-]?\d+)?|\.\d+/iuy],
  ['open', /[({]/uy],
  ['close', /[)}]/uy],
  ['separator', /[,;]/uy],
  ['operator', /<=|>=|<>|[-+*/^&=<>%:@#]/uy],
  ['other', /[^]/uy],
];

/** Returns the pieces of a formula in their order; an input that is none has no pieces. */
export function tokensOf(input: string): readonly Token[] {
  if (!input.startsWith('=')) return [];
  const tokens: Token[] = [];
  let start = 0;
  while (start < input.length) {
    const token = tokenAt(input, start);
    tokens.push(token);
    start = token.end;
  }
  return tokens;
}

function tokenAt(input: string, start: number): Token {
  for (const [kind, pattern] of patterns) {
    pattern.lastIndex = start;
    const text = pattern.exec(input)?.[0];
    if (text !== undefined && text !== '') return { kind, text, start, end: start + text.length };
  }
  return { kind: 'other', text: input.slice(start), start, end: input.length };
}
