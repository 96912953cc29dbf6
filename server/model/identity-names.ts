/** Tells names of people and agents, by what they registered as. */
export interface IdentityNames {
  /** By the id of each, `agt_…` or `usr_…`; whoever is not known is called by the id. */
  of(ids: Iterable<string>): Promise<(id: string) => string>;
}

/** The names of a service where nobody is registered. */
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
