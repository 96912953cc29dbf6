/** A formula in pieces, so that a fault can be shrunk: its parts stand between its own texts. */
export interface Tree {
  readonly open: string;
  readonly parts: readonly Tree[];
  readonly between: string;
  readonly close: string;
  /** True when one part may go without the others: an argument may, an operand may not. */
  readonly isList: boolean;
}

export function leaf(text: string): Tree {
  return { open: text, parts: [], between: '', close: '', isList: false };
}

export function call(name: string, parts: readonly Tree[]): Tree {
  return { open: `${name}(`, parts, between: ',', close: ')', isList: true };
}

export function operation(left: Tree, operator: string, right: Tree): Tree {
  return { open: '(', parts: [left, right], between: operator, close: ')', isList: false };
}

export function around(open: string, inner: Tree, close: string): Tree {
  return { open, parts: [inner], between: '', close, isList: false };
}

export function textOf({ open, parts, between, close }: Tree): string {
  return open + parts.map(textOf).join(between) + close;
}

/** Trees a step smaller, the smallest first. */
export function* smallerTrees(tree: Tree): Generator<Tree> {
  const { parts } = tree;
  if (parts.length === 0) yield* shorterLeaves(tree);
  else {
    yield leaf('1');
    yield leaf('A1');
  }
  yield* parts;
  if (tree.isList) {
    for (const index of parts.keys()) yield { ...tree, parts: parts.toSpliced(index, 1) };
  }
  for (const [index, part] of parts.entries()) {
    for (const smaller of smallerTrees(part)) {
      yield { ...tree, parts: parts.with(index, smaller) };
    }
  }
}

/** A text that no grammar made is cut in halves, quarters and so on. */
function* shorterLeaves({ open }: Tree): Generator<Tree> {
  if (open !== '1' && open.length > 1) yield leaf('1');
  if (open.length < 5) return;
  for (let size = open.length >> 1; size >= 1; size >>= 1) {
    for (let from = 0; from < open.length && from < 64 * size; from += size) {
      yield leaf(open.slice(0, from) + open.slice(from + size));
    }
  }
}
