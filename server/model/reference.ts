/** A branch's head, or its position after operation `sequence`. */
export interface BranchReference {
  readonly branch: string;
  /** Sequence number of the position; the head if undefined. */
  readonly sequence: number | undefined;
  /** Number of the branch, where another one of its name is not meant. */
  readonly branchNo?: number;
  /** True if the path of the request names the branch, which is then the missing thing. */
  readonly isPath?: boolean;
}

/** A place in a workbook's history, by its branch, the tag of a commit or a merge that was applied. */
export type Reference = BranchReference | { readonly tag: string } | { readonly merge: string };

/** Characters of the name of a branch, and of a tag, at most. */
export const nameLengthMost = 100;

const branchName = /^[\p{L}\p{N}_$](?:[\p{L}\p{N}_.$ /-]{0,98}[\p{L}\p{N}_])?$/u;
const tagName = /^[\p{L}\p{N}_](?:[\p{L}\p{N}_.+ /-]{0,98}[\p{L}\p{N}_+])?$/u;
const tagPrefix = 'commit:';
const mergePrefix = 'merge:';
const positionDigits = /^(0|[1-9]\d{0,14})(?::([1-9]\d{0,8}))?$/u;
const mergeId = /^merge:(mrg_[\w-]{1,60})$/u;

export function isBranchName(text: string): boolean {
  return branchName.test(text);
}

export function isTag(text: string): boolean {
  return tagName.test(text);
}

/** `main`, `main@42`, `q3@42:7`, `commit:v1`, `merge:mrg_7`; undefined for anything else. */
export function parseReference(text: string): Reference | undefined {
  const merge = mergeId.exec(text)?.[1];
  if (merge !== undefined) return { merge };
  if (text.startsWith(tagPrefix)) {
    const tag = text.slice(tagPrefix.length);
    return isTag(tag) ? { tag } : undefined;
  }
  const at = text.lastIndexOf('@');
  if (at < 0) return isBranchName(text) ? { branch: text, sequence: undefined } : undefined;
  const branch = text.slice(0, at);
  const [, digits, number] = positionDigits.exec(text.slice(at + 1)) ?? [];
  if (!isBranchName(branch) || digits === undefined) return undefined;
  const named = { branch, sequence: Number(digits) };
  return number === undefined ? named : { ...named, branchNo: Number(number) };
}

/** Returns the reference of a position; an open merge, `merge:<id>`, is one position alone. */
export function referenceName(branch: string, sequence: number): string {
  return branch.startsWith(mergePrefix) ? branch : `${branch}@${sequence}`;
}
