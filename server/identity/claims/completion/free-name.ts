const nameLength = 100;

/** The name itself, or else with `-2`, `-3` and so on behind it. */
export function freeName(wanted: string, isTaken: (name: string) => boolean): string {
  if (!isTaken(wanted)) return wanted;
  for (let number = 2; ; number++) {
    const suffix = `-${number}`;
    const name = `${wanted.slice(0, nameLength - suffix.length)}${suffix}`;
    if (!isTaken(name)) return name;
  }
}
