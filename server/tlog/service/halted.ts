/**
 * Error of a log that must stop: what it would sign, or what others have seen, differs from the
 * database. Only a person can decide which is right, so it stays halted until a restart.
 */
export class LogHalted extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'LogHalted';
  }
}

/** Error of a log that another process has taken over, with all work under way. */
export class LeaseLost extends Error {
  constructor() {
    super('another process has taken over the transparency log');
    this.name = 'LeaseLost';
  }
}
