/** Parts that both trees of an order share: full nodes are split, small neighbours are joined. */

/**
 * Most members of a node. An edit copies the nodes on its path, so small nodes make cheap versions;
 * below this number paths get longer and look-ups slower without saving memory.
 */
export const membersMost = 24;

/** Most members of two neighbours that are joined, which leaves room to grow. */
export const joinedMost = 18;

/** Numbers for one span in a leaf: run and offset of its first id, and one more. */
export const rowWidth = 3;

/** Bytes of a node with its lists, and of each of their elements. */
export const nodeBytes = 150;
export const numberBytes = 8;

/** Replaces some members of a list, without spare memory in the result. */
export function spliced<Member>(
  list: readonly Member[],
  from: number,
  to: number,
  added: readonly Member[],
): Member[] {
  // This is three times as fast, but the number of arguments is limited.
  if (added.length < 1_000) return list.toSpliced(from, to - from, ...added);
  return list.slice(0, from).concat(added, list.slice(to));
}

/** Splits a list that is too long for a node into even parts with room to grow. */
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

/** Joins neighbours from one index to another if `join` finds them small enough. */
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

/** Index of the last number that is not above a limit; 0 if there is none. */
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
