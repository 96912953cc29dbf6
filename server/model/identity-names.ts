/** Tells names of people and agents, by what they registered as. */
export interface IdentityNames {
  /** Returns names by id, `agt_…` or `usr_…`; an unknown id is its own name. */
  of(ids: Iterable<string>): Promise<(id: string) => string>;
}

/** Names of a service without registrations. */
export const unregistered: IdentityNames = { of: async () => (id) => id };

/** The author of something, in every answer that tells it. */
export interface WrittenBy {
  /** Name of the person or agent. */
  readonly by: string;
  /** Id of the same. */
  readonly actor: string;
  /** The name that the client wrote under, which it chooses itself. */
  readonly writer: string;
}
