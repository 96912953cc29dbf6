const digits = 16;

/** Prefix of all objects of a workbook, which go with it when it is purged. */
export function workbookPrefix(workbookId: string): string {
  return `wb/${workbookId}/`;
}

export function packKey(workbookId: string, name: string): string {
  return `${workbookPrefix(workbookId)}pack/${name}`;
}

export function snapshotPrefix(workbookId: string, branchNo: number): string {
  return `${workbookPrefix(workbookId)}snapshot/${branchNo}/`;
}

export function snapshotKey(workbookId: string, branchNo: number, seq: number): string {
  return snapshotPrefix(workbookId, branchNo) + padded(seq);
}

export function logPrefix(workbookId: string, branchNo: number): string {
  return `${workbookPrefix(workbookId)}log/${branchNo}/`;
}

export function logKey(
  { workbookId, branchNo }: { workbookId: string; branchNo: number },
  firstSeq: number,
  lastSeq: number,
): string {
  return `${logPrefix(workbookId, branchNo)}${padded(firstSeq)}-${padded(lastSeq)}`;
}

/** The branch that a key of `logKey` or `snapshotKey` is of. */
export function branchOfKey(key: string): { workbookId: string; branchNo: number } {
  const [, workbookId = '', , branchNo] = key.split('/');
  return { workbookId, branchNo: Number(branchNo) };
}

/** First and last sequence, or the one sequence, that the last segment of a key names. */
export function sequencesOf(key: string): { firstSeq: number; lastSeq: number } {
  const [first = '', last = first] = key.slice(key.lastIndexOf('/') + 1).split('-');
  return { firstSeq: Number(first), lastSeq: Number(last) };
}

function padded(seq: number): string {
  return String(seq).padStart(digits, '0');
}
