/** The service cannot start, for a reason that an operator can do something about. */
export class StartRefused extends Error {
  override readonly name = 'StartRefused';
}
