/** A place in a workbook's history: a branch's head, or its position after operation `sequence`. */
export interface Reference {
  readonly branch: string;
  /** Undefined means the head. */
  readonly sequence: number | undefined;
}

const branchName = /^[\p{L}\p{N}_$](?:[\p{L}\p{N}_.$ /-]{0,98}[\p{L}\p{N}_])?$/u;

export function isBranchName(text: string): boolean {
  return branchName.test(text);
}

/** `main`, `main@42`; undefined for anything else (tags and merges come with their own issues). */
export function parseReference(text: string): Reference | undefined {
  const at = text.lastIndexOf('@');
  if (at < 0) return isBranchName(text) ? { branch: text, sequence: undefined } : undefined;
  const branch = text.slice(0, at);
  const digits = text.slice(at + 1);
  if (!isBranchName(branch) || !/^(?:0|[1-9]\d{0,14})$/u.test(digits)) return undefined;
  return { branch, sequence: Number(digits) };
}

export function referenceName(branch: string, sequence: number): string {
  return `${branch}@${sequence}`;
}
