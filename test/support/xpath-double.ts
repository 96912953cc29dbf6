/**
 * XPath by its definition, over a tree of objects: each axis is a condition on all nodes, each step
 * a set. It is slow, and unlike the kernel's implementation.
 */
export interface XmlNode {
  readonly kind: 'root' | 'element' | 'text' | 'comment' | 'attribute';
  readonly name: string;
  /** Text of a text node, a comment or an attribute. */
  readonly value: string;
  readonly children: readonly XmlNode[];
  readonly attributes: readonly XmlNode[];
}

export interface Step {
  readonly axis: string;
  readonly test: string;
  readonly predicates: readonly Condition[];
}

export type Nodes =
  | { readonly kind: 'path'; readonly start: '' | '/' | '//'; readonly steps: readonly Step[] }
  | { readonly kind: 'union'; readonly left: Nodes; readonly right: Nodes }
  | {
      readonly kind: 'filter';
      readonly nodes: Nodes;
      readonly predicate: Condition;
      readonly steps: readonly Step[];
    };

export type Condition =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'position'; readonly operator: Operator; readonly fromEnd: number }
  | { readonly kind: 'some'; readonly nodes: Nodes }
  | {
      readonly kind: 'count';
      readonly nodes: Nodes;
      readonly operator: Operator;
      readonly value: number;
    }
  | { readonly kind: 'same'; readonly left: Nodes; readonly right: Nodes; readonly isNot: boolean }
  | { readonly kind: 'not'; readonly inside: Condition }
  | { readonly kind: 'and' | 'or'; readonly left: Condition; readonly right: Condition };

export type Operator = '=' | '!=' | '<' | '<=' | '>' | '>=';

/** A node's place: those around it, and its number in document order. */
interface Place {
  readonly node: XmlNode;
  readonly order: number;
  readonly around: readonly Place[];
}

export class XmlTree {
  readonly #places: Place[] = [];
  /** Results of expressions by place, which never change, so that each is computed once. */
  readonly #found = new Map<Nodes, Map<Place, Place[]>>();

  constructor(root: XmlNode) {
    this.#add(root, []);
  }

  #add(node: XmlNode, around: readonly Place[]): void {
    const place = { node, order: this.#places.length, around };
    this.#places.push(place);
    const within = [...around, place];
    for (const child of [...node.attributes, ...node.children]) this.#add(child, within);
  }

  /** The nodes that are found from the root. */
  find(nodes: Nodes): XmlNode[] {
    const root = this.#places.slice(0, 1);
    return root.flatMap((place) => this.#find(nodes, place)).map(({ node }) => node);
  }

  #find(nodes: Nodes, here: Place): Place[] {
    const known = this.#found.get(nodes) ?? new Map<Place, Place[]>();
    this.#found.set(nodes, known);
    const found = known.get(here) ?? this.#search(nodes, here);
    known.set(here, found);
    return found;
  }

  #search(nodes: Nodes, here: Place): Place[] {
    if (nodes.kind === 'union') {
      return inOrder([...this.#find(nodes.left, here), ...this.#find(nodes.right, here)]);
    }
    if (nodes.kind === 'filter') {
      const found = this.#keep(this.#find(nodes.nodes, here), nodes.predicate);
      return this.#walk(found, nodes.steps);
    }
    const start = nodes.start === '' ? [here] : this.#places.slice(0, 1);
    return this.#walk(start, nodes.start === '//' ? [anywhere, ...nodes.steps] : nodes.steps);
  }

  #walk(start: Place[], steps: readonly Step[]): Place[] {
    let places = start;
    for (const step of steps) {
      places = inOrder(
        places.flatMap((from) => {
          const along = this.#places.filter(
            (place) => isAlong(step.axis, from, place) && isTested(step, place.node),
          );
          if (/ancestor|preceding/u.test(step.axis)) along.reverse();
          return step.predicates.reduce((kept, one) => this.#keep(kept, one), along);
        }),
      );
    }
    return places;
  }

  #keep(places: Place[], condition: Condition): Place[] {
    return places.filter((place, index) => this.#holds(condition, place, index + 1, places.length));
  }

  #holds(condition: Condition, place: Place, position: number, size: number): boolean {
    switch (condition.kind) {
      case 'number':
        return position === condition.value;
      case 'position':
        return compares(condition.operator, position, size - condition.fromEnd);
      case 'some':
        return this.#find(condition.nodes, place).length > 0;
      case 'count':
        return compares(
          condition.operator,
          this.#find(condition.nodes, place).length,
          condition.value,
        );
      case 'same': {
        const others = this.#find(condition.right, place).map(textOf);
        return this.#find(condition.left, place).some((one) =>
          others.some((other) => (textOf(one) === other) !== condition.isNot),
        );
      }
      case 'not':
        return !this.#holds(condition.inside, place, position, size);
      case 'and':
      case 'or': {
        const left = this.#holds(condition.left, place, position, size);
        const right = this.#holds(condition.right, place, position, size);
        return condition.kind === 'and' ? left && right : left || right;
      }
    }
  }
}

const anywhere: Step = { axis: 'descendant-or-self', test: 'node()', predicates: [] };

function inOrder(places: readonly Place[]): Place[] {
  return [...new Set(places)].toSorted((one, other) => one.order - other.order);
}

function isAlong(axis: string, from: Place, to: Place): boolean {
  if (axis.endsWith('self') && to === from) return true;
  if (axis === 'attribute') return to.node.kind === 'attribute' && to.around.at(-1) === from;
  if (axis === 'parent') return from.around.at(-1) === to;
  if (axis.startsWith('ancestor')) return from.around.includes(to);
  if (axis === 'self' || to.node.kind === 'attribute') return false;
  if (axis === 'child') return to.around.at(-1) === from;
  if (axis.startsWith('descendant')) return to.around.includes(from);
  return isBeside(axis, from, to);
}

/**
 * Returns whether a node is before or after another one, and neither an ancestor nor a descendant.
 */
function isBeside(axis: string, from: Place, to: Place): boolean {
  if (from === to || from.around.includes(to) || to.around.includes(from)) return false;
  const isSibling = to.around.at(-1) === from.around.at(-1) && from.node.kind !== 'attribute';
  if (axis.endsWith('-sibling') && !isSibling) return false;
  return axis.startsWith('following') ? to.order > from.order : to.order < from.order;
}

function isTested({ axis, test }: Step, { kind, name }: XmlNode): boolean {
  if (test === 'node()') return true;
  if (test.endsWith('()')) return test === `${kind}()`;
  if (kind !== (axis === 'attribute' ? 'attribute' : 'element')) return false;
  return test === '*' || test === name;
}

function compares(operator: Operator, left: number, right: number): boolean {
  if (operator === '=') return left === right;
  if (operator === '!=') return left !== right;
  if (operator === '<') return left < right;
  if (operator === '<=') return left <= right;
  return operator === '>' ? left > right : left >= right;
}

function textOf({ node }: Place): string {
  return saidBy(node);
}

/** The string value of a node. */
export function saidBy(node: XmlNode): string {
  if (node.kind !== 'root' && node.kind !== 'element') return node.value;
  return node.children
    .filter(({ kind }) => kind !== 'comment')
    .map(saidBy)
    .join('');
}

export function writeXml(node: XmlNode): string {
  const inside = node.children.map(writeXml).join('');
  if (node.kind === 'root') return inside;
  if (node.kind === 'text') return node.value;
  if (node.kind === 'comment') return `<!--${node.value}-->`;
  const attributes = node.attributes.map(({ name, value }) => ` ${name}="${value}"`).join('');
  return `<${node.name}${attributes}>${inside}</${node.name}>`;
}

export function writeXpath(nodes: Nodes): string {
  if (nodes.kind === 'union') return `${writeXpath(nodes.left)} | ${writeXpath(nodes.right)}`;
  if (nodes.kind === 'path') return nodes.start + nodes.steps.map(writeStep).join('/');
  const steps = nodes.steps.map((step) => `/${writeStep(step)}`).join('');
  return `(${writeXpath(nodes.nodes)})[${writeCondition(nodes.predicate)}]${steps}`;
}

function writeStep({ axis, test, predicates }: Step): string {
  const inBrackets = predicates.map((one) => `[${writeCondition(one)}]`).join('');
  if (axis === 'attribute') return `@${test}${inBrackets}`;
  if (axis === 'child') return test + inBrackets;
  if (predicates.length === 0 && test === 'node()') {
    if (axis === 'self') return '.';
    if (axis === 'parent') return '..';
  }
  return `${axis}::${test}${inBrackets}`;
}

function writeCondition(condition: Condition): string {
  switch (condition.kind) {
    case 'number':
      return String(condition.value);
    case 'position': {
      const end = condition.fromEnd === 0 ? '' : ` - ${condition.fromEnd}`;
      return `position() ${condition.operator} last()${end}`;
    }
    case 'some':
      return writeXpath(condition.nodes);
    case 'count':
      return `count(${writeXpath(condition.nodes)}) ${condition.operator} ${condition.value}`;
    case 'same': {
      const sides = [condition.left, condition.right].map((one) => `(${writeXpath(one)})`);
      return sides.join(condition.isNot ? ' != ' : ' = ');
    }
    case 'not':
      return `not(${writeCondition(condition.inside)})`;
    case 'and':
    case 'or': {
      const sides = [condition.left, condition.right].map((one) => `(${writeCondition(one)})`);
      return sides.join(` ${condition.kind} `);
    }
  }
}
