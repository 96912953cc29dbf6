import type { Json } from './json.ts';

const safeBounds: Json = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };
/** Members whose values are data, not parts of the document. */
const literal = new Set([
  'example',
  'examples',
  'default',
  'const',
  'enum',
  'required',
  'security',
]);
/** Members that hold parts by names of their own, which mean nothing to the document. */
const byName = new Set(['properties', 'schemas', 'responses', 'paths', 'content', 'headers']);

export function holdsNames(member: string): boolean {
  return byName.has(member);
}

/** Returns whether the value of a member is data, in a part that `parent` holds. */
export function isLiteral(member: string, parent: string): boolean {
  return !holdsNames(parent) && literal.has(member);
}

/** Says the same in fewer words, with alike parts in one order so that they are equal. */
export function shorter(value: unknown, parent = ''): unknown {
  if (Array.isArray(value)) return value.map((one) => shorter(one));
  if (typeof value !== 'object' || value === null) return value;
  if (holdsNames(parent)) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shorter(inner)]));
  }
  const members = Object.entries(value).map(([key, inner]: [string, unknown]) => {
    return [key, literal.has(key) ? inner : shorter(inner, key)] as const;
  });
  const kept = members.filter(([key, inner]) => safeBounds[key] !== inner);
  return shorterPart(Object.fromEntries(isSchema(value) ? kept.toSorted(inOrder) : kept));
}

function isSchema(value: object): boolean {
  return (
    !('in' in value) && ['type', 'anyOf', 'oneOf', 'enum', 'const'].some((key) => key in value)
  );
}

function inOrder([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return place(a) - place(b) || (a < b ? -1 : 1);
}

function place(key: string): number {
  if (key === 'type') return 0;
  return key === 'description' || key === 'examples' ? 2 : 1;
}

/** Leaves out members that follow from others: the type of a constant, a pattern beside its format. */
function shorterPart(part: Json): Json {
  const left = new Set<string>();
  if (isPlainText(part['propertyNames'])) left.add('propertyNames');
  if ('oneOf' in part) left.add('discriminator');
  if ('const' in part || 'enum' in part) left.add('type');
  if (part['format'] === 'date-time') left.add('pattern');
  const whole = Object.fromEntries(Object.entries(part).filter(([key]) => !left.has(key)));
  const options = whole['anyOf'];
  if (!Array.isArray(options) || options.length !== 2) return whole;
  const [first, second] = options as readonly Json[];
  if (typeof first?.['type'] !== 'string' || second?.['type'] !== 'null') return whole;
  const { anyOf: _, ...rest } = whole;
  return { ...first, ...rest, type: [first['type'], 'null'] };
}

function isPlainText(value: unknown): boolean {
  return JSON.stringify(value) === '{"type":"string"}';
}
