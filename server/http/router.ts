import { Failure } from '../model/failure.ts';
import { reservedOwners } from '../model/reserved-owners.ts';
import type { Host, Route } from './route.ts';

interface Node {
  readonly children: Map<string, Node>;
  parameter: Node | undefined;
  rest: Map<string, Route> | undefined;
  readonly routes: Map<string, Route>;
}

export interface Match {
  readonly route: Route;
  /** Decoded path parameters, in the order of the template. */
  readonly params: Readonly<Record<string, string>>;
  /** Set when the path has the second form; `params.id` is then still empty. */
  readonly address: { readonly owner: string; readonly space: string } | undefined;
}

/** The result without a match: either the path is unknown, or these methods would match. */
export interface NoMatch {
  readonly route: undefined;
  readonly allowed: readonly string[];
  readonly host: Host;
}

/** Finds the route of a path. All routes are known at start; a later one is refused. */
export class Router {
  readonly #root: Node = newNode();

  constructor(routes: readonly Route[]) {
    for (const route of routes) this.#add(route);
  }

  /**
   * Matches a path. One slash at the end is taken as if it were not there, `/v1/workbooks/`, except
   * for files, which have one spelling.
   */
  match(method: string, path: string, hosts: ReadonlySet<Host>): Match | NoMatch {
    const found = this.#match(method, path, hosts);
    const isFound = found.route !== undefined || found.allowed.length > 0;
    if (isFound || path.length === 1 || !path.endsWith('/')) return found;
    const without = this.#match(method, path.slice(0, -1), hosts);
    return without.route?.isExact === true ? found : without;
  }

  #match(method: string, path: string, hosts: ReadonlySet<Host>): Match | NoMatch {
    const segments = path.split('/').slice(1);
    const address = secondForm(segments);
    if (address !== undefined) segments.splice(0, 3, 'v1', 'workbooks', '');
    const found: Found = { values: [], routes: undefined };
    walk(this.#root, { segments, depth: 0, acceptsEmpty: address !== undefined }, found);
    const candidates = found.routes;
    const route = candidates?.get(method === 'HEAD' ? 'GET' : method);
    const served = route === undefined || route.host === 'any' || hosts.has(route.host);
    if (candidates === undefined || !served) {
      return { route: undefined, allowed: [], host: hostOfPath(path) };
    }
    if (route === undefined) {
      return { route, allowed: allowedMethods(candidates), host: hostOfPath(path) };
    }
    return { route, params: nameParameters(route, found.values), address };
  }

  #add(route: Route): void {
    let node = this.#root;
    for (const segment of route.path.split('/').slice(1)) {
      if (segment === '*') {
        node.rest ??= new Map();
        this.#place(node.rest, route);
        return;
      }
      node = segment.startsWith(':') ? (node.parameter ??= newNode()) : child(node, segment);
    }
    this.#place(node.routes, route);
  }

  #place(routes: Map<string, Route>, route: Route): void {
    if (routes.has(route.method)) throw new Error(`${route.method} ${route.path} is there twice`);
    routes.set(route.method, route);
  }
}

interface Found {
  values: string[];
  routes: ReadonlyMap<string, Route> | undefined;
}

interface Place {
  readonly segments: readonly string[];
  readonly depth: number;
  /** The workbook of a second-form path is not known yet, so its segment is empty. */
  readonly acceptsEmpty: boolean;
}

/** Fixed segments win over parameters, parameters over the rest of the path. */
function walk(node: Node, place: Place, found: Found): boolean {
  const segment = place.segments[place.depth];
  if (segment === undefined) {
    if (node.routes.size === 0) return false;
    found.routes = node.routes;
    return true;
  }
  const next = { ...place, depth: place.depth + 1 };
  const fixed = node.children.get(segment);
  if (fixed !== undefined && walk(fixed, next, found)) return true;
  if (node.parameter !== undefined && (segment !== '' || place.acceptsEmpty)) {
    found.values.push(segment);
    if (walk(node.parameter, next, found)) return true;
    found.values.pop();
  }
  if (node.rest === undefined) return false;
  found.values.push(place.segments.slice(place.depth).join('/'));
  found.routes = node.rest;
  return true;
}

function secondForm(segments: readonly string[]): { owner: string; space: string } | undefined {
  const [version, owner, space] = segments;
  if (version !== 'v1' || owner === undefined || space === undefined) return undefined;
  if (owner === '' || space === '' || reservedOwners.has(owner)) return undefined;
  return { owner: decodeSegment(owner), space: decodeSegment(space) };
}

function nameParameters(route: Route, values: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {};
  if (values.length === 0) return params;
  let index = 0;
  for (const segment of route.path.split('/')) {
    if (segment.startsWith(':')) params[segment.slice(1)] = decodeSegment(values[index++] ?? '');
    else if (segment === '*') params['rest'] = decodeSegment(values[index++] ?? '');
  }
  return params;
}

function decodeSegment(segment: string): string {
  if (!segment.includes('%')) return segment;
  const text = decodeEscapes(segment);
  if (!text.includes('\u0000')) return text;
  throw new Failure('invalidRequest', {
    detail: 'The path has the character U+0000, which no name has.',
    hint: 'Take %00 out of the path.',
  });
}

function decodeEscapes(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (cause) {
    throw new Failure('notFound', {
      detail: 'The path has a percent sign that is not followed by UTF-8 in hexadecimal.',
      cause,
    });
  }
}

function allowedMethods(routes: ReadonlyMap<string, Route>): string[] {
  const methods = [...routes.keys()];
  if (methods.includes('GET')) methods.push('HEAD');
  methods.push('OPTIONS');
  return methods;
}

/** The host in whose envelope an unknown path is answered. */
function hostOfPath(path: string): Host {
  return path.startsWith('/agent/') || path.startsWith('/oauth2/') ? 'auth' : 'api';
}

function newNode(): Node {
  return { children: new Map(), parameter: undefined, rest: undefined, routes: new Map() };
}

function child(node: Node, segment: string): Node {
  const found = node.children.get(segment) ?? newNode();
  node.children.set(segment, found);
  return found;
}
