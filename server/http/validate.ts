import type { z } from 'zod';

import { Failure } from '../model/failure.ts';
import type { FieldError } from '../model/failure.ts';
import { readQuery } from './incoming.ts';
import type { Route } from './route.ts';
import { assertStrict, compileQuickCheck, isList, knownMembers } from './schema.ts';
import type { QuickCheck } from './schema.ts';
import { suggest } from './suggest.ts';

/** Turns what was sent into what the schemas of one route promise its handler. */
export class Validator {
  readonly #route: Route;
  readonly #quickCheck: QuickCheck | undefined;
  /** Query parameters the route knows, and whether each may be repeated. */
  readonly #parameters: ReadonlyMap<string, boolean>;

  constructor(route: Route) {
    this.#route = route;
    const { body, query, params } = route.request;
    const where = `${route.method} ${route.path}`;
    assertParameters(route.path, Object.keys(params?.shape ?? {}), where);
    if (body !== undefined && route.lenient !== true) {
      assertStrict(body, where);
      this.#quickCheck = route.isPlainBody ?? compileQuickCheck(body);
    }
    const fields = Object.entries<z.core.$ZodType>(query?.shape ?? {});
    this.#parameters = new Map(fields.map(([name, field]) => [name, isList(field)]));
  }

  /** A path parameter of the wrong form names nothing, so this is 404 and not 400. */
  params(params: Readonly<Record<string, string>>): unknown {
    const schema = this.#route.request.params;
    if (schema === undefined) return undefined;
    const result = schema.safeParse(params);
    if (result.success) return result.data;
    throw new Failure('notFound', {
      detail: 'A part of the path does not have the form of such a name.',
      errors: fieldErrors(result.error.issues, (path) => `/${path.join('/')}`),
    });
  }

  query(queryText: string): unknown {
    const schema = this.#route.request.query;
    const fields: Record<string, unknown> = {};
    for (const [name, values] of readQuery(queryText)) {
      const repeats = this.#parameters.get(name);
      if (repeats !== undefined) fields[name] = repeats ? values : onlyValue(name, values);
      else if (this.#route.lenient !== true) throw this.#unknownParameter(name);
    }
    if (schema === undefined) return undefined;
    const result = schema.safeParse(fields);
    if (result.success) return result.data;
    throw invalid(fieldErrors(result.error.issues, (path) => `?${path.join('/')}`));
  }

  body(value: unknown): unknown {
    const schema = this.#route.request.body;
    if (schema === undefined) return this.#withoutMembers(value);
    if (this.#quickCheck?.(value) === true) return value;
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    const { issues } = result.error;
    if (this.#route.lenient === true) throw leniently(issues);
    const unknown = flatten(issues).find(({ code }) => code === 'unrecognized_keys');
    if (unknown === undefined || issues.length > 1) throw invalid(bodyErrors(schema, issues));
    throw new Failure('unknownMember', { ...described(bodyErrors(schema, issues)) });
  }

  #withoutMembers(value: unknown): undefined {
    const empty = value === undefined || value === null || isEmptyObject(value);
    if (empty || this.#route.lenient === true) return undefined;
    throw new Failure('unknownMember', { detail: 'This route takes no body.' });
  }

  #unknownParameter(name: string): Failure {
    const known = [...this.#parameters.keys()];
    const guess = suggest(name, known);
    const knownText = known.length === 0 ? 'It takes none.' : `It takes ${known.join(', ')}.`;
    const message = guess === undefined ? knownText : `Did you mean "${guess}"?`;
    return new Failure('unknownMember', {
      detail: `This route has no query parameter "${printable(name)}". ${message}`,
      errors: [{ pointer: `?${printable(name)}`, code: 'unknown_member', message }],
    });
  }
}

/** Path and schema must name the same parameters; this is checked once, at start. */
function assertParameters(path: string, names: readonly string[], where: string): void {
  const inPath = path
    .split('/')
    .filter((segment) => segment.startsWith(':') || segment === '*')
    .map((segment) => (segment === '*' ? 'rest' : segment.slice(1)));
  const differs = inPath.toSorted().join() !== names.toSorted().join();
  if (differs) throw new Error(`${where}: the params schema has [${names.join()}]`);
}

function onlyValue(name: string, values: readonly string[]): string | undefined {
  if (values.length === 1) return values[0];
  throw new Failure('duplicateMember', {
    detail: `The query parameter "${name}" is given ${values.length} times.`,
    errors: [{ pointer: `?${name}`, code: 'duplicate_member', message: 'Give it once.' }],
  });
}

type Issue = z.core.$ZodIssue;

function invalid(errors: readonly FieldError[]): Failure {
  return new Failure('invalidRequest', described(errors));
}

function described(errors: readonly FieldError[]): { detail?: string; errors: FieldError[] } {
  const [first] = errors;
  if (first === undefined) return { errors: [] };
  const where = first.pointer === '' ? 'The body' : first.pointer;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return { detail: `${where}: ${first.message}${more}`, errors: errors.slice(0, 20) };
}

/** The identity service names fields by `path` in `data`, and members it does not know are fine. */
function leniently(issues: readonly Issue[]): Failure {
  const fields = flatten(issues).map(({ path, message }) => ({ path: path.join('.'), message }));
  const [first] = fields;
  const detail = first && `${first.path === '' ? 'The body' : first.path}: ${first.message}.`;
  return new Failure('invalidRequest', { ...(detail && { detail }), extra: { fields } });
}

function bodyErrors(schema: z.ZodType, issues: readonly Issue[]): FieldError[] {
  return flatten(issues).flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') return unknownMembers(schema, issue);
    return fieldErrors([issue], pointerOf);
  });
}

function unknownMembers(schema: z.ZodType, issue: z.core.$ZodIssueUnrecognizedKeys): FieldError[] {
  const known = knownMembers(schema, issue.path);
  return issue.keys.map((name) => {
    const guess = suggest(name, known);
    const instead =
      guess === undefined ? `known are ${known.join(', ')}` : `did you mean "${guess}"?`;
    return {
      pointer: pointerOf([...issue.path, name]),
      code: 'unknown_member',
      message: `"${printable(name)}" is not known here; ${instead}`,
    };
  });
}

function fieldErrors(
  issues: readonly Issue[],
  pointer: (path: readonly PropertyKey[]) => string,
): FieldError[] {
  return flatten(issues).map((issue) => ({
    pointer: pointer(issue.path),
    code: issue.code,
    message: issue.message,
  }));
}

/** A value that fits no option of a union is explained by the option it comes closest to. */
function flatten(issues: readonly Issue[]): Issue[] {
  return issues.flatMap((issue) => {
    if (issue.code !== 'invalid_union') return [issue];
    const closest = issue.errors.reduce<readonly Issue[] | undefined>(
      (best, option) => (best === undefined || isCloser(option, best) ? option : best),
      undefined,
    );
    if (closest === undefined) return [issue];
    return flatten(closest).map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }));
  });
}

/** Of two that got equally far the one with fewer faults is meant. */
function isCloser(option: readonly Issue[], best: readonly Issue[]): boolean {
  const further = depth(option) - depth(best);
  return further > 0 || (further === 0 && faultCount(option) < faultCount(best));
}

function faultCount(issues: readonly Issue[]): number {
  return issues.reduce((count, issue) => {
    return count + (issue.code === 'unrecognized_keys' ? issue.keys.length : 1);
  }, 0);
}

/** How far into the value an option got before it failed. */
function depth(issues: readonly Issue[]): number {
  return Math.max(
    ...issues.map(({ path, code }) => path.length + (code === 'invalid_type' ? 0 : 1)),
  );
}

function pointerOf(path: readonly PropertyKey[]): string {
  return path
    .map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function printable(text: string): string {
  return text.slice(0, 60).replaceAll(/[^\x20-\x7e]/g, '?');
}
