/** Words that only a program can follow: a request, a body, the description of the interface. */
const forPrograms = /\b(?:GET|POST|PUT|PATCH|DELETE)\b|openapi\.json|[{}]/u;
const pointer = /^\/[\w/~-]*: /u;

/** Returns a hint that a person can follow; undefined for one that speaks of requests. */
export function hintForPeople(hint: string | undefined): string | undefined {
  return hint === undefined || forPrograms.test(hint) ? undefined : hint;
}

/** Returns what is wrong, without the place in a request that nobody wrote by hand. */
export function withoutPointer(message: string): string {
  const told = message.replace(pointer, '');
  return told.charAt(0).toUpperCase() + told.slice(1);
}
