/**
 * The log must not go on: what it is about to sign, or what others have seen of it, is not what the
 * database says. Only a person can tell which of them is right, so it stays halted until a start.
 */
export class LogHalted extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'LogHalted';
  }
}

/** Another process has taken the log over; whatever was under way is its business now. */
export class LeaseLost extends Error {
  constructor() {
    super('another process has taken over the transparency log');
    this.name = 'LeaseLost';
  }
}
