/** Words for programmers only: a request, a body, the description of the interface. */
const forPrograms = /\b(?:GET|POST|PUT|PATCH|DELETE)\b|openapi\.json|[{}]/u;
const pointer = /^\/[\w/~-]*: /u;

/** Returns a hint that people can follow; undefined if it is about requests. */
export function hintForPeople(hint: string | undefined): string | undefined {
  return hint === undefined || forPrograms.test(hint) ? undefined : hint;
}

/** Returns a message without its pointer into a request. */
export function withoutPointer(message: string): string {
  const told = message.replace(pointer, '');
  return told.charAt(0).toUpperCase() + told.slice(1);
}

const restoring = /\bPOST (\/v1\/\S+\/restore)\b/u;

/** Returns the path of the call that restores what is archived, if a hint names it. */
export function restoringCall(hint: string | undefined): string | undefined {
  return restoring.exec(hint ?? '')?.[1];
}
