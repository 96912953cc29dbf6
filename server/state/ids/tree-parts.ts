/** Parts that both trees of an order share: full nodes split, thin neighbours join. */

/**
 * Members a node may have. An edit copies the nodes on its way, so small ones make cheap versions;
 * below this the ways get longer, and look-ups slower, for no byte less.
 */
export const membersMost = 24;

/** Neighbours join when they have no more than this together, so that there is room to grow. */
export const joinedMost = 18;

/** Numbers of one row of a leaf: the run and the offset of a span's first id, and one more. */
export const rowWidth = 3;

/** A node with its lists, and what each of their elements takes. */
export const nodeBytes = 150;
export const numberBytes = 8;

/** A list with some of its members replaced, exactly as large as it has to be. */
export function spliced<Member>(
  list: readonly Member[],
  from: number,
  to: number,
  added: readonly Member[],
): Member[] {
  // Three times as fast, but there may be only so many arguments.
  if (added.length < 1_000) return list.toSpliced(from, to - from, ...added);
  return list.slice(0, from).concat(added, list.slice(to));
}

/** A list as it is if a node can hold it, else in even parts with room to grow. */
export function evenParts<Member>(
  list: readonly Member[],
  memberWidth: number,
): (readonly Member[])[] {
  const memberCount = list.length / memberWidth;
  if (memberCount <= membersMost) return memberCount === 0 ? [] : [list];
  const count = Math.ceil(memberCount / joinedMost);
  const cut = (index: number) => Math.floor((index * memberCount) / count) * memberWidth;
  return Array.from({ length: count }, (_, index) => list.slice(cut(index), cut(index + 1)));
}

/** Joins neighbours between two indices, both included, where `join` finds them thin enough. */
export function joinThin<Node>(
  nodes: Node[],
  [first, last]: readonly [number, number],
  join: (a: Node, b: Node) => Node | undefined,
): void {
  let end = Math.min(last, nodes.length - 1);
  for (let at = Math.max(first, 0); at < end;) {
    const a = nodes[at];
    const b = nodes[at + 1];
    const joined = a !== undefined && b !== undefined ? join(a, b) : undefined;
    if (joined === undefined) {
      at++;
      continue;
    }
    nodes.splice(at, 2, joined);
    end--;
  }
}

/** Index of the last number that is not above a limit; 0 when there is none. */
export function lastIndexUpTo(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((numbers[middle] ?? Infinity) <= limit) low = middle;
    else high = middle - 1;
  }
  return low;
}
