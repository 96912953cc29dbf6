import { Failure } from '../../server/model/failure.ts';
import { bodyLimits } from '../../server/model/limits.ts';
import { pointerOf } from '../../server/model/pointer.ts';
import { textFault, type TextRule } from '../../server/model/text-rule.ts';

export type SyntaxKey = 'invalidJson' | 'invalidMsgpack';

/** Keys that reach the prototype of an object when code copies members carelessly. */
const forbiddenKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

const plainHint =
  'Send null, true, false, texts, lists, objects and numbers up to 1.7e308; what is larger as a text.';

export function tooDeep(key: SyntaxKey): Failure {
  return new Failure(key, {
    detail: `The body nests deeper than ${bodyLimits.depth} arrays and objects.`,
    hint: 'Send what it holds in a flatter form; no route takes a body that nests so deep.',
  });
}

/**
 * Checks a decoded value against rules that its format does not have; returns its number of
 * members.
 */
export function countPlain(value: unknown, key: SyntaxKey): number {
  const shape = new Shape(key);
  shape.check(value, 1);
  return shape.memberCount;
}

class Shape {
  /** Number of members of all objects so far. */
  memberCount = 0;
  readonly #key: SyntaxKey;

  constructor(key: SyntaxKey) {
    this.#key = key;
  }

  check(value: unknown, depth: number): void {
    if (typeof value === 'object' && value !== null) {
      if (depth > bodyLimits.depth) throw tooDeep(this.#key);
      if (Array.isArray(value)) this.#checkItems(value, depth);
      else this.#checkMembers(value, depth);
    } else if (!isPlain(value)) {
      throw new Failure(this.#key, {
        detail: 'The body holds a number that is not finite, or a type that JSON does not have.',
        hint: plainHint,
      });
    }
  }

  #checkItems(items: readonly unknown[], depth: number): void {
    for (const item of items) {
      // Most values are strings, which need no more checks here.
      if (typeof item !== 'string') this.check(item, depth + 1);
    }
  }

  #checkMembers(value: object, depth: number): void {
    if (Object.getPrototypeOf(value) !== Object.prototype) {
      const detail = 'The body holds a type that JSON does not have.';
      throw new Failure(this.#key, { detail, hint: plainHint });
    }
    for (const name in value) {
      this.memberCount++;
      if (forbiddenKeys.has(name)) {
        const detail = `A member must not be called "${name}".`;
        throw new Failure(this.#key, { detail, hint: 'Give it another name.' });
      }
      const member: unknown = Reflect.get(value, name);
      if (typeof member !== 'string') this.check(member, depth + 1);
    }
  }
}

function isPlain(value: unknown): boolean {
  const type = typeof value;
  return type === 'number'
    ? Number.isFinite(value)
    : type === 'string' || type === 'boolean' || value === null;
}

/** Fails at the first text or member name with a character that no text may have. */
export function checkTexts(value: unknown, rule: TextRule, path: PropertyKey[] = []): void {
  if (typeof value === 'string') {
    const message = textFault(value, rule);
    if (message !== undefined) throw badText(path, message);
  } else if (Array.isArray(value)) {
    const place = path.push(0) - 1;
    for (let index = 0; index < value.length; index++) {
      path[place] = index;
      checkTexts(value[index], rule, path);
    }
    path.pop();
  } else if (typeof value === 'object' && value !== null) {
    for (const name in value) {
      path.push(name);
      checkTexts(name, rule, path);
      checkTexts(Reflect.get(value, name), rule, path);
      path.pop();
    }
  }
}

function badText(path: readonly PropertyKey[], message: string): Failure {
  const pointer = pointerOf(
    path.map((step) => String(step).replaceAll(/[\0\p{Surrogate}]/gu, '?')),
  );
  return new Failure('invalidRequest', {
    detail: `${pointer === '' ? 'The body' : pointer}: ${message}`,
    hint: 'Take the character out and send it again.',
    errors: [{ pointer, code: 'bad_text', message }],
  });
}
