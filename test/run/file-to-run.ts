/** A file that a process of tests is to run. */
export interface FileToRun {
  /** Address of the built module. */
  readonly module: string;
  readonly name: string;
  /** 0 for any time. */
  readonly timeoutMilliseconds: number;
}

/** Message after the last file. */
export const noMoreFiles = 'no more files';

/** Message of a process of tests when a file has ended. */
export interface TimeOfFile {
  readonly name: string;
  /** Time that its process and those that it started and saw end were calculating. */
  readonly busySeconds: number;
}
