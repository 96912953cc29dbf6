const nameLength = 100;

/** Returns the name if it is free, else the first free one of `name-2`, `name-3` and so on. */
export function freeName(wanted: string, isTaken: (name: string) => boolean): string {
  if (!isTaken(wanted)) return wanted;
  for (let number = 2; ; number++) {
    const suffix = `-${number}`;
    const name = `${wanted.slice(0, nameLength - suffix.length)}${suffix}`;
    if (!isTaken(name)) return name;
  }
}
