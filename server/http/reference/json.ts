/** An object of the document. */
export type Json = Readonly<Record<string, unknown>>;

export function membersOf({ properties }: Json): Json {
  return (properties ?? {}) as Json;
}

export function requiredOf({ required }: Json): readonly string[] {
  return (required ?? []) as readonly string[];
}
