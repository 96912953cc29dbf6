/** The service cannot start, for a reason that an operator can do something about. */
export class StartRefused extends Error {
  override readonly name = 'StartRefused';
}

/** Does what a setting is read for; a failure is told with the name of the setting. */
export async function asSet<Result>(
  setting: string,
  step: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await step();
  } catch (cause) {
    if (cause instanceof StartRefused) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    const isNamed = why.startsWith(setting);
    throw new StartRefused(isNamed ? why : `${setting} cannot be used: ${why}`, { cause });
  }
}
