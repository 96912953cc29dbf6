/** A value that JSON can hold. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

export interface JsonObject {
  readonly [name: string]: JsonValue;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

interface Bound {
  readonly characters: number;
  readonly depth: number;
}

/** Returns whether a value is JSON of at most this size. */
export function isBoundedJson(value: unknown, { characters, depth }: Bound): boolean {
  return isJson(value, depth) && JSON.stringify(value).length <= characters;
}

function isJson(value: unknown, depth: number): value is JsonValue {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      return Number.isFinite(value);
    case 'object':
      if (value === null) return true;
      // As a member's name it would change what an object is.
      if (depth === 0 || Object.hasOwn(value, '__proto__')) return false;
      return Object.values(value).every((member) => isJson(member, depth - 1));
    default:
      return false;
  }
}

/** Spells a value in its one way: members sorted by name, those without a value left out. */
export function canonicalJson(value: unknown): JsonValue {
  if (Array.isArray(value)) return value.map(canonicalJson);
  if (typeof value === 'number') return value === 0 ? 0 : value;
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  if (typeof value !== 'object') throw new TypeError(`JSON has no ${typeof value}`);
  return canonicalObject(value);
}

export function canonicalObject(value: object): JsonObject {
  const members: Record<string, JsonValue> = {};
  const sorted = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [name, member] of sorted) {
    if (member !== undefined) members[name] = canonicalJson(member);
  }
  return members;
}

export function sameJson(a: JsonValue, b: JsonValue): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
